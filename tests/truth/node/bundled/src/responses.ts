class CachedResponse {
  constructor(readonly path: string, readonly body: number[]) {}
}

/** What was answered, by path. */
export class ResponseCache {
  private entries = new Map<string, CachedResponse>();

  put(path: string, number: number): void {
    this.entries.set(path, new CachedResponse(path, [number, number + 1]));
  }
}
