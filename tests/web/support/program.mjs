/*
 * A program that leaks while it is told to, line by line, and waits between: the programs of tests/agents and scripts/demo.d.
 */
import { spawn } from "node:child_process";

export class Program {
  constructor(command, args, environment = {}) {
    this.child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ["pipe", "pipe", "pipe"] });
    this.pid = this.child.pid;
    this.printed = "";
    this.errors = "";
    this.child.stderr.on("data", (text) => (this.errors += text));
    this.child.stdout.on("data", (text) => {
      this.printed += text;
      this.wake?.();
    });
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    this.ended.then(() => this.wake?.());
  }

  /** Waits for the next line that begins with `word`. */
  async expect(word, seconds = 240) {
    const line = new RegExp(`^${word}.*\n`, "m");
    const until = Date.now() + seconds * 1000;
    while (!line.test(this.printed)) {
      if (this.child.exitCode !== null || Date.now() > until)
        throw new Error(`${this.child.spawnargs.join(" ")}: no "${word}"\n${this.errors}`);
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
    this.printed = this.printed.slice(line.exec(this.printed).index).replace(line, "");
  }

  tell(line) {
    this.child.stdin.write(`${line}\n`);
  }

  async end() {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}
