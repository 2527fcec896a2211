const listeners: Array<(value: number) => void> = [];

export function onSample(listener: (value: number) => void): void {
  listeners.push(listener);
}
