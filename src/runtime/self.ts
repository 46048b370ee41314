/** Whether this program is compiled or run from source, and how to start a child of it. */
import process from "node:process";

export const isCompiled = import.meta.url.includes("/$bunfs/");
/** Name and version of the runtime. */
export const runtimeName =
  process.versions.bun === undefined ? `deno ${process.versions.deno}` : `bun ${process.versions.bun}`;
