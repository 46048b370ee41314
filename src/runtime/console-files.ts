/** The files of the console: bundled from its sources, where the build of the binary has not put the finished ones. */
import { bundleConsole, type ConsoleFile } from "./bundle.ts";

/** @returns none where the runtime has no bundler. */
export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  return typeof Bun === "undefined" ? [] : bundleConsole();
}
