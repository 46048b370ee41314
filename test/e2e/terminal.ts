/** The client as an operator has it: in a terminal of its own (a pseudo-terminal), or with its output in a pipe. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect } from "vitest";

export interface Operator {
  /** Holds contexts and files of the operator. */
  readonly home: string;
  /** In a terminal. */
  at(args: readonly string[], options?: TerminalOptions): TerminalRun;
  /** Not in a terminal. */
  piped(args: readonly string[], input?: string): Promise<Piped>;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalRun {
  /** All that was printed so far. */
  text(): string;
  /** Resolves when that is on the screen. */
  sees(what: string | RegExp): Promise<void>;
  type(text: string): void;
  readonly ended: Promise<number>;
}

export interface Piped {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @param program the compiled program; default: the source */
export function operator(env: Readonly<Record<string, string>> = {}, program?: string): Operator {
  const home = mkdtempSync(join(tmpdir(), "patchbay-operator-"));
  const command = program === undefined ? [process.execPath, "src/main.ts"] : [program];
  const surroundings = { PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color", ...env };

  function at(args: readonly string[], options: TerminalOptions = {}): TerminalRun {
    const decoder = new TextDecoder();
    let text = "";
    const child = Bun.spawn([...command, ...args], {
      env: { ...surroundings, ...options.env },
      terminal: {
        cols: options.columns ?? 100,
        rows: 40,
        data(_terminal, data) {
          text += decoder.decode(data, { stream: true });
        },
      },
    });
    return {
      text: () => text,
      async sees(what) {
        const poll = expect.poll(() => text, { timeout: 120_000 });
        await (typeof what === "string" ? poll.toContain(what) : poll.toMatch(what));
      },
      type: (typed) => void child.terminal?.write(typed),
      // The terminal stays open: the last words may come after the end of the process.
      ended: child.exited,
    };
  }

  async function piped(args: readonly string[], input = ""): Promise<Piped> {
    const child = Bun.spawn([...command, ...args], {
      env: surroundings,
      stdin: new TextEncoder().encode(input),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, out, err };
  }

  return { home, at, piped };
}

/** An operator who is logged in to a service with this key. */
export async function loggedIn(
  url: string,
  key: string,
  env: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<Operator> {
  const someone = operator(env, program);
  const file = join(someone.home, "key");
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  const done = await someone.piped(["login", url, "--name", "lab", "--key-file", file]);
  expect(done).toMatchObject({ code: 0, out: "" });
  return someone;
}
