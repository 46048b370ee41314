/** Texts of versions: packed and unpacked, whole or as a difference from a whole one. */
import * as v from "valibot";
import { historyLimits } from "../../api/history/history.ts";
import { ServiceError } from "../../base/errors.ts";
import type { MaskedSecret } from "../../configtext/secrets/secrets.ts";
import { unpackText } from "../../runtime/text-pack.ts";
import type { Store, StoredConfigText, StoredConfigVersion } from "../../store/port.ts";

/** Masked texts have up to four bytes per character, and marks are longer than short secrets. */
export const maxTextBytes = historyLimits.textChars * 8;
/** Bytes of two texts up to which they are compared; of larger ones only their lengths are, and they are stored whole. */
export const maxComparedBytes = 512 * 1024;

/** Offset and length of a mark in the text, and what it stands for. */
const marks = v.array(v.tuple([v.number(), v.number(), v.string()]));

/** Loaded on demand: most takes find nothing new. */
const deltas = () => import("../../configtext/delta.ts");

const unpack = (body: Uint8Array) => unpackText(body, maxTextBytes);

/** @throws Error if it is damaged */
export async function textIn(
  stored: StoredConfigText,
  bases: ReadonlyMap<string, StoredConfigText>,
): Promise<string> {
  const text = unpack(stored.body);
  if (stored.base === null) return text;
  const base = bases.get(stored.base);
  if (base === undefined) throw damaged();
  const { applyDelta } = await deltas();
  return applyDelta(unpack(base.body), text);
}

/**
 * The texts of versions, masked or with their secrets, in the same order; undefined where one is damaged or gone.
 * @throws ServiceError Unavailable
 */
export async function textsOf(
  { history }: Pick<Store, "history">,
  versions: readonly Pick<StoredConfigVersion, "textId">[],
  withSecrets = false,
): Promise<(string | undefined)[]> {
  const stored = await history.texts([...new Set(versions.map(({ textId }) => textId))]);
  const byId = new Map(stored.map((text) => [text.id, text]));
  const texts: (string | undefined)[] = [];
  for (const { textId } of versions) texts.push(await opened(byId.get(textId), byId, withSecrets));
  return texts;
}

async function opened(
  found: StoredConfigText | undefined,
  byId: ReadonlyMap<string, StoredConfigText>,
  withSecrets: boolean,
): Promise<string | undefined> {
  if (found === undefined) return undefined;
  try {
    const text = await textIn(found, byId);
    if (!withSecrets || found.secrets === null) return text;
    if (found.secrets === undefined) return undefined;
    const { openSecrets } = await import("../../configtext/secrets/secrets.ts");
    return openSecrets(text, v.parse(marks, JSON.parse(found.secrets)));
  } catch {
    return undefined;
  }
}

export async function textOf(
  store: Pick<Store, "history">,
  version: StoredConfigVersion,
  withSecrets = false,
): Promise<string> {
  return wholeText((await textsOf(store, [version], withSecrets))[0]);
}

/** Each is looked for in all that a job brings, in many forms. */
const maxSecrets = 10_000;

/**
 * The secrets of versions, each once.
 * @throws ServiceError Internal: they cannot be read; Validation: there are too many
 */
export async function secretsOf(
  { history }: Pick<Store, "history">,
  versions: readonly Pick<StoredConfigVersion, "textId">[],
): Promise<string[]> {
  const wanted = new Set(versions.map(({ textId }) => textId));
  const stored = (await history.texts([...wanted])).filter(({ id }) => wanted.has(id));
  const secrets = new Set<string>();
  for (const text of stored) {
    if (text.secrets === undefined) throw damaged();
    if (text.secrets === null) continue;
    for (const [, , secret] of v.parse(marks, JSON.parse(text.secrets))) secrets.add(secret);
  }
  if (secrets.size <= maxSecrets) return [...secrets];
  throw new ServiceError(
    "Validation",
    `The configuration has more than ${maxSecrets} secrets: it is not restored.`,
  );
}

/** @throws ServiceError Internal: it is damaged or gone */
/** The secrets of a version at their marks. @throws ServiceError Internal: they cannot be read */
export async function marksOf(
  { history }: Pick<Store, "history">,
  { textId }: Pick<StoredConfigVersion, "textId">,
): Promise<MaskedSecret[]> {
  const text = (await history.texts([textId])).find(({ id }) => id === textId);
  if (text?.secrets === undefined) throw damaged();
  return text.secrets === null ? [] : v.parse(marks, JSON.parse(text.secrets));
}

export function wholeText(text: string | undefined): string {
  if (text === undefined) throw damaged();
  return text;
}

function damaged(): ServiceError {
  return new ServiceError("Internal", "The stored text of this version is damaged and cannot be read.");
}
