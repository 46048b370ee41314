/** The record of lines as the service answers it, and as it is exported: one JSON object a line. */
import * as v from "valibot";
import { type EvidenceRecord, evidenceAnswer, evidenceRecord } from "../../api/rehearsal/rehearsal.ts";
import { reader } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";

export const evidenceRow = reader(evidenceRecord);
export const evidenceAdded = reader(evidenceAnswer);

const line = v.pipe(v.string(), v.parseJson(), evidenceRecord);

/** @throws ServiceError Validation */
export function evidenceIn(exported: string, name: string): EvidenceRecord[] {
  return exported.split("\n").flatMap((text, at) => {
    if (text.trim() === "") return [];
    const read = v.safeParse(line, text);
    if (read.success) return [read.output];
    throw new ServiceError("Validation", `Line ${at + 1} of ${name} is not of an export.`);
  });
}
