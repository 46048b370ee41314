/** What a mistyped name of a template may have meant, as the end of a message. */
import { nearNames } from "patchbay/plugin";

const shownNames = 3;
/** Long names that hold the mistyped one by chance are left out. */
const mostLetters = 3;

/** `: did you mean to_int?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearNames(name, known, 2 * shownNames)
    .filter((other) => Math.abs(other.length - name.length) <= mostLetters)
    .slice(0, shownNames);
  return near.length === 0 ? "" : `: did you mean ${near.join(", ")}?`;
}
