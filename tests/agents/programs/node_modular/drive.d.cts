declare function drive(serve: (i: number) => unknown): void;
export = drive;
