/** Marks of secrets that are compared with nothing: who wrote them may not learn whether they are those of a device. */
import { createHmac } from "node:crypto";
import { fingerprintWith } from "../secrets/secrets.ts";

/** @param closed see {@link closedMarks}; undefined: those of the history */
export const intentMarks = (markKey: string, closed: string | undefined) =>
  closed === undefined ? fingerprintWith(markKey) : closedMarks(markKey, closed);

/** Longer than a mark of the history, so that it equals none. */
const closedTail = "00";

/**
 * Marks of the secrets of an intent whose writer may not read secrets: they equal no mark of the history, so that nothing
 * tells whether a secret was guessed. The same text has the same ones.
 * @param of what was written: another one has other marks
 */
function closedMarks(markKey: string, of: string): (secret: string) => string {
  const marks = fingerprintWith(createHmac("sha256", Buffer.from(markKey, "hex")).update(of).digest("hex"));
  return (secret) => `${marks(secret)}${closedTail}`;
}

/** Of {@link closedMarks}: what it stands for is compared with nothing. */
export const hasClosedMark = (line: string) => /<secret [0-9a-f]{8}>/.test(line);
