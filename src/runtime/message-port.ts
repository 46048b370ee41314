/** The worker's end of the port: a Bun worker thread, or a child process with IPC. */
import process from "node:process";
import type { FromWorker, Port, ToWorker } from "../protocol/message-port.ts";
import { deno } from "./deno.ts";

declare const self: {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: ToWorker }) => void): void;
};

/** The port of a worker thread, opened once by its entry. */
export function threadPort(): Port<ToWorker, FromWorker> {
  return {
    post: (message) => self.postMessage(message),
    onMessage: (listener) => self.addEventListener("message", (event) => listener(event.data)),
  };
}

/** The port of a child process; the child exits when its parent is gone. */
export function childPort<In, Out>(): Port<In, Out> {
  process.on("disconnect", () => exit(0));
  if (deno !== undefined) endWithParent();
  // While it computes, it notices no disconnect.
  else void import("./parent-death.ts").then(({ dieWithParent }) => dieWithParent());
  return {
    post: (message) => void process.send?.(message),
    // Only our own parent can write to this channel.
    onMessage: (listener) => process.on("message", (message) => listener(message as In)),
  };
}

const exit = process.exit.bind(process);

/** A plugin that ends its thread or process would end the work of others, and look like a crash. */
export function refuseExit(): void {
  const refuse = (what: string) => (): never => {
    throw new Error(`it called ${what}, which would end the work of others`);
  };
  process.exit = refuse("process.exit");
  process.abort = refuse("process.abort");
}

const lookMs = 1_000;

/** Deno does not report a killed parent; a changed parent process id does. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) exit(0);
  }, lookMs);
}
