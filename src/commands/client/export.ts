/** Streams the export of a bulk to a file. */
import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { shownPieces } from "../../base/terminal-text.ts";
import { exitCodes } from "../../client/outcome.ts";
import type { Session } from "./action.ts";

const forms = ["csv", "jsonl", "zip"];

/** @throws ServiceError Validation, NotFound, Unavailable; no partial file remains */
export async function exportBulk(
  id: string,
  form: string,
  { output: file, force }: { readonly output?: string; readonly force?: boolean },
  { api, terminal }: Session,
): Promise<number> {
  if (!forms.includes(form))
    throw new ServiceError("Validation", `--export must be one of ${forms.join(", ")}.`);
  if (file === undefined && form === "zip" && process.stdout.isTTY === true)
    throw new ServiceError(
      "Validation",
      "A zip archive cannot be written to a terminal: use --output <file>.",
    );
  if (file !== undefined && force !== true && existsSync(file))
    throw new ServiceError("Validation", `${file} exists: use another name, or --force to replace it.`);
  const path = `/bulk/${encodeURIComponent(id)}/export`;
  const { body } = await api.stream(path, { query: { format: form } });
  if (!body) throw new ServiceError("BadRequest", "The export is empty.");
  const pieces = Readable.from(body);
  if (file === undefined) {
    // At a terminal, escapes control characters.
    const read = process.stdout.isTTY === true ? Readable.from(shownPieces(body)) : pieces;
    await pipeline(read, process.stdout, { end: false });
    return exitCodes.good;
  }
  // Written under another name, so that a partial file is not mistaken for the export.
  const partFile = `${file}.part`;
  try {
    await pipeline(pieces, createWriteStream(partFile, { mode: 0o600 }));
    await rename(partFile, file);
  } catch (error) {
    await rm(partFile, { force: true });
    const why = messageOf(error);
    throw new ServiceError("Unavailable", `The export broke off: ${why}. Nothing was written.`);
  }
  terminal.note(`${file} is written.`);
  return exitCodes.good;
}
