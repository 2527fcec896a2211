/*
 * How much is live on each side, for shares of the heap: what lies at the top of the dominator tree adds up to it. Where the top is too
 * wide to ask for at once, shares are not told.
 */
import type { Api, SideState, State } from "./api.ts";

const mostTops = 1000; /* of one answer */

async function liveOf(api: Api, side: SideState): Promise<SideState> {
  if (!side.browsable || side.bytes !== undefined) return side;
  try {
    const top = await api.list("dominated", side.side, "all", 0, mostTops);
    if (top.nodes.length < top.total) return side;
    return { ...side, bytes: top.nodes.reduce((sum, node) => sum + node.retained, 0) };
  } catch {
    return side; /* whoever asks next is told why */
  }
}

/** `state` with the live bytes of its sides. */
export async function withLive(api: Api, state: State): Promise<State> {
  const sides: SideState[] = [];
  for (const side of state.sides) sides.push(await liveOf(api, side));
  return { ...state, sides };
}
