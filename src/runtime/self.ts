/** This program itself: compiled into one file or run from source, and how a child of it is started. */
export const isCompiled = import.meta.url.includes("/$bunfs/");
/** Name and version of the runtime that it runs on. */
export const runtimeName = `bun ${Bun.version}`;
