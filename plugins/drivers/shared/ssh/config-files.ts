/** Reads an ssh_config with its includes; only files below the operator's key folders. */
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { type FilesKit, fitsPatterns, PluginError } from "patchbay/plugin";
import { fault, parseSshConfig, type SshConfig } from "./config.ts";

/** Same limit as OpenSSH. */
const deepest = 16;
const maxFiles = 64;
const maxBytes = 1024 * 1024;

export interface SshConfigFile {
  readonly config: SshConfig;
  /** Resolves a path in the file: absolute, below the service's home (`~/`), or relative to the file. */
  pathOf(text: string): string;
}

/** @throws PluginError Forbidden outside the key folders, DriverError for an invalid ssh_config */
export async function readSshConfig(files: FilesKit, path: string): Promise<SshConfigFile> {
  const top = await files.keyFile(path);
  let bytes = 0;
  let count = 0;

  async function read(file: string, depth: number): Promise<SshConfig> {
    const size = (await stat(file)).size;
    bytes += size;
    if (depth > deepest || ++count > maxFiles || bytes > maxBytes) throw tooMuch(file);
    return parseSshConfig(file, await readFile(file, "utf8"), async (pattern, line) => {
      const configs: SshConfig[] = [];
      for (const named of await filesOf(pathFrom(file, pattern))) {
        const inside = await files.keyFile(named).catch(() => {
          throw fault(line, `Include ${pattern}: ${named} is outside the key folders or not a regular file`);
        });
        configs.push(await read(inside, depth + 1));
      }
      return configs;
    });
  }
  return { config: await read(top, 0), pathOf: (text) => pathFrom(top, text) };
}

function pathFrom(file: string, text: string): string {
  if (text.startsWith("~/")) return join(homedir(), text.slice(2));
  return isAbsolute(text) ? text : join(dirname(file), text);
}

/** An existing file, or the matches of a pattern in order; like OpenSSH, ignores missing files. */
async function filesOf(pattern: string): Promise<string[]> {
  const name = basename(pattern);
  const folder = dirname(pattern);
  if (/[*?]/.test(folder)) return [];
  if (!/[*?]/.test(name)) return (await exists(pattern)) ? [pattern] : [];
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((fileName) => fitsPatterns(fileName, [name]) && !fileName.startsWith("."))
    .sort()
    .map((fileName) => join(folder, fileName));
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function tooMuch(file: string): PluginError {
  const limits = `${maxFiles} files, ${deepest} levels, ${maxBytes / 1024} KiB`;
  return new PluginError("DriverError", `${file}: includes too much (at most ${limits})`, {
    outcome: "none",
  });
}
