/** The client as an operator runs it: in a pseudo-terminal, or with its output in a pipe. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect } from "vitest";
import { programOf } from "../../src/testkit/service.ts";

/** Control sequences of the client itself: colours, the progress line. */
export const ownControls = /\x1b\[(?:\d+m|K)|\r/g;

export interface Operator {
  /** Folder for the operator's contexts and files. */
  readonly home: string;
  /** Runs in a terminal. */
  at(args: readonly string[], options?: TerminalOptions): TerminalRun;
  /** Runs without a terminal. */
  piped(args: readonly string[], input?: string): Promise<Piped>;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalRun {
  /** Output so far. */
  text(): string;
  /** Resolves when this is on the screen. */
  sees(what: string | RegExp): Promise<void>;
  type(text: string): void;
  /** The exit code, after all output is on the screen. */
  readonly ended: Promise<number>;
}

export interface Piped {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @param program the compiled program; default: the source */
export function operator(env: Readonly<Record<string, string>> = {}, program?: string): Operator {
  // Goes with the folder of the run.
  const home = mkdtempSync(join(tmpdir(), "patchbay-operator-"));
  const command = programOf(program === undefined ? {} : { binary: program });
  // A text that was refused in the editor stays in a temporary folder.
  const here = { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home };
  const surroundings = { ...here, TERM: "xterm-256color", ...env };

  function at(args: readonly string[], options: TerminalOptions = {}): TerminalRun {
    const decoder = new TextDecoder();
    let text = "";
    let over = false;
    const closed = Promise.withResolvers<void>();
    const child = Bun.spawn([...command, ...args], {
      cwd: home,
      env: { ...surroundings, ...options.env },
      terminal: {
        cols: options.columns ?? 100,
        rows: 40,
        data(_terminal, data) {
          text += decoder.decode(data, { stream: true });
        },
        exit: () => closed.resolve(),
      },
    });
    // The last output may arrive after the process has ended.
    const ended = Promise.all([child.exited, closed.promise]).then(([code]) => {
      over = true;
      return code;
    });
    return {
      text: () => text,
      async sees(what) {
        const isThere = () => (typeof what === "string" ? text.includes(what) : what.test(text));
        // An ended process shows nothing more.
        const waited = expect.poll(() => over || isThere(), { timeout: 120_000 }).toBe(true);
        await waited.catch(() => undefined);
        if (typeof what === "string") expect(text).toContain(what);
        else expect(text).toMatch(what);
      },
      type: (typed) => void child.terminal?.write(typed),
      ended,
    };
  }

  async function piped(args: readonly string[], input = ""): Promise<Piped> {
    const child = Bun.spawn([...command, ...args], {
      cwd: home,
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

/** An operator logged in to a service with this key. */
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
