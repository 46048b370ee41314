/** The lines of the devices of a change, as a bulk gets them. */
import type { StoredChangeTarget } from "../../store/port.ts";

const textsAtOnce = 200;

/** Lines by the index of a target, read some ahead. */
export function createLines(
  targets: readonly StoredChangeTarget[],
  read: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
) {
  const known = new Map<string, { readonly config: readonly string[]; readonly chars: number } | undefined>();
  return async (index: number) => {
    const sha256 = targets[index]?.sha256 ?? "";
    if (known.has(sha256)) return known.get(sha256);
    const hashes = new Set(targets.slice(index, index + textsAtOnce).map((target) => target.sha256));
    const texts = await read([...hashes]);
    for (const hash of hashes) {
      const lines = texts.get(hash);
      known.set(hash, lines === undefined ? undefined : { config: lines.split("\n"), chars: lines.length });
    }
    return known.get(sha256);
  };
}
