/** Reads files from a Git repository: a temporary clone without a checkout. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  type Context,
  type FetchedInventory,
  gitRemote,
  gitSettings,
  InventoryError,
  type InventoryFile,
  type InventorySourceTools,
  runGit,
} from "patchbay/plugin";
import type { Options } from "./options.ts";

const maxBytes = 8 * 1024 * 1024;
/** A shallow clone, packed: prevents a long history or images from filling the disk. */
const maxFetchedBytes = 256 * 1024 * 1024;
const longestMs = 180_000;
const maxFiles = 1_000;

type Tools = Pick<
  InventorySourceTools<Options, unknown>,
  "url" | "verify" | "options" | "login" | "resolveHost" | "templateFolder" | "ssh" | "hide"
>;

/** For tests. */
interface Program {
  /** Default `git`. */
  readonly program?: string;
  /** Fails if the fetch exceeds this size. */
  readonly maxFetched?: number;
}

export default async function fetchRepository(
  tools: Tools,
  ctx: Context,
  { program = "git", maxFetched = maxFetchedBytes }: Program = {},
): Promise<FetchedInventory> {
  const { ref } = tools.options;
  const path = tools.options.path ?? "";
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  try {
    const { address, env } = await remoteOf(tools);
    const limitMs = Math.min(longestMs, ctx.remaining());
    const how = {
      folder,
      env,
      limitMs,
      signal: ctx.signal,
      maxFileBytes: maxFetched,
      maxOutput: maxBytes,
      program,
    };
    const git = (...args: string[]) => runGit(args, how);
    await git("init", "--quiet", "--bare", ".");
    const branch = ref ?? "HEAD";
    await git("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", address, branch);
    const listing = await git(
      "ls-tree",
      "-r",
      "-z",
      "--long",
      "FETCH_HEAD",
      ...(path === "." ? [] : ["--", path]),
    );
    const files = filesOf(listing, path);
    const texts: { name: string; text: string }[] = [];
    for (const { id, name } of files) texts.push({ name, text: await git("cat-file", "blob", id) });
    requireContent(texts);
    const revision = (await git("rev-parse", "FETCH_HEAD")).trim();
    return { files: texts, folder: path, revision };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const folderPrefix = "patchbay-git-";
/** No sync takes this long. */
const leftoverMs = 3_600_000;

/** Clones of a service that was killed meanwhile. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.uid === process.getuid?.() && found.mtimeMs < Date.now() - leftoverMs)
      await rm(path, { recursive: true, force: true });
  }
}

async function remoteOf(tools: Tools): ReturnType<typeof gitRemote> {
  const { url, templateFolder } = tools;
  const target = new URL(url);
  if (target.protocol !== "file:") return gitRemote(tools);
  if (target.host !== "") throw forbidden("A file URL names no host: file:///path.");
  const real = await templateFolder(fileURLToPath(target));
  return { address: `file://${real}`, env: gitSettings([["safe.directory", real]]) };
}

const forbidden = (text: string) => new InventoryError("Forbidden", text);

/** Parses `<mode> blob <id> <size>\t<path>`; links and submodules are skipped. */
function filesOf(listing: string, path: string): { id: string; name: string }[] {
  const files = listing.split("\0").flatMap((entry) => {
    const [, id, size, name] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(entry) ?? [];
    return id === undefined || name === undefined ? [] : [{ id, name, size: Number(size) }];
  });
  if (files.length === 0)
    throw new InventoryError("CommandError", `There is no file ${path} in the repository.`);
  if (files.length > maxFiles)
    throw new InventoryError("PayloadTooLarge", `The folder ${path} has more than ${maxFiles} files.`);
  if (files.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    throw new InventoryError("PayloadTooLarge", `The files below ${path} have more than ${maxBytes} bytes.`);
  return files;
}

/** The first line of a pointer in place of a file's content. */
const lfsStart = "version https://git-lfs.github.com/spec/";

/** @throws InventoryError CommandError */
function requireContent(files: readonly InventoryFile[]): void {
  const pointer = files.find(({ text }) => text.startsWith(lfsStart));
  if (pointer === undefined) return;
  throw new InventoryError(
    "CommandError",
    `${pointer.name} is kept with Git LFS, and the repository has a pointer only: commit it as a normal file.`,
  );
}
