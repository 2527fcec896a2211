let open;
const gate = new Promise(resolve => { open = resolve; });

export async function pass(ticket) { // LEAK
  await gate;
  return ticket.number;
}
export const openGate = () => open();
