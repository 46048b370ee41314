/** Ids as people write them: whole, by their first characters, or `last`. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import type { Api } from "../service/api.ts";

export const idHint = "the id, its first characters, or `last`: the last one submitted with this key";

const wholeLength = 36;
const shownCandidates = 5;
const kinds = {
  job: { path: "/job", fields: "id,status,device,host,created_at" },
  bulk: { path: "/bulk", fields: undefined },
} as const;
/** The fields that tell candidates apart. */
const candidate = v.looseObject({
  id: v.string(),
  status: v.string(),
  created_at: v.string(),
  device: v.nullish(v.string()),
  host: v.optional(v.string()),
  label: v.nullish(v.string()),
});
const candidates = v.array(candidate);

/** @throws ServiceError NotFound; Validation that lists the candidates, if there are several */
export async function idNamed(api: Api, kind: keyof typeof kinds, text: string): Promise<string> {
  const { path, fields } = kinds[kind];
  if (text === "last") {
    const query = { submitted_by: "me", limit: 1, fields };
    const [last] = await api.call(path, candidates, { query });
    if (last) return last.id;
    throw new ServiceError("NotFound", `No ${kind} that was submitted with this key is stored.`);
  }
  const isPrefix = /^[0-9a-f-]{4,}$/i.test(text) && text.length < wholeLength;
  // Whatever else it is, the service says that there is none.
  if (!isPrefix) return text;
  const query = { id_prefix: text, limit: shownCandidates + 1, fields };
  const found = await api.call(path, candidates, { query });
  const [first] = found;
  if (!first) throw new ServiceError("NotFound", `There is no ${kind} whose id begins with ${text}.`);
  if (found.length === 1) return first.id;
  const lines = found.slice(0, shownCandidates).map(lineOf);
  const more = found.length > shownCandidates ? "\n  … and more" : "";
  const message = `More than one ${kind} has an id that begins with ${text}:\n${lines.join("\n")}${more}`;
  throw new ServiceError("Validation", message);
}

function lineOf({ id, status, created_at, device, host, label }: v.InferOutput<typeof candidate>): string {
  const time = created_at.replace(/\.\d+/, "").replace("T", " ");
  return `  ${[id, status, device || host || label, time].filter(Boolean).join("  ")}`;
}
