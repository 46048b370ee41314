/** This program itself: compiled into one file or run from source, and how a child of it is started. */
import process from "node:process";

export const isCompiled = import.meta.url.includes("/$bunfs/");
/** Name and version of the runtime that it runs on. */
export const runtimeName =
  process.versions.bun === undefined ? `deno ${process.versions.deno}` : `bun ${process.versions.bun}`;
