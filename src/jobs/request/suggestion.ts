/** Suggests similar names, as the end of a sentence. */
import { nearNames } from "../../base/text/near-names.ts";

const fewNames = 12;

export function suggestion(name: string, names: readonly string[]): string {
  const similar = nearNames(name, names);
  if (similar.length > 0) return ` Did you mean ${similar.join(", ")}?`;
  return names.length > 0 && names.length <= fewNames ? ` Known: ${names.join(", ")}.` : "";
}
