/** The versions of the store as they are written to Git: in their order, under the names that the devices had. */
import type { Store, StoredConfigName, StoredConfigVersion } from "../../store/port.ts";
import { textsOf } from "../reading/texts.ts";
import type { ExportedVersion } from "./commit.ts";

type Stores = Pick<Store, "history" | "remotes">;
/** An exported version without its text. */
export type ExportedFacts = Omit<ExportedVersion, "text">;

const rowsAtOnce = 200;
/** Texts that are held at once; a text may have megabytes. */
const textsAtOnce = 20;

/** @yields pages of versions above a position, with what names them */
async function* pagesAfter(
  { remotes }: Stores,
  position: number,
): AsyncGenerator<{ version: StoredConfigVersion; facts: ExportedFacts }[]> {
  for (let after = position; ; ) {
    const versions = await remotes.exported(after, rowsAtOnce);
    const last = versions.at(-1);
    if (last === undefined) return;
    const names = Map.groupBy(
      await remotes.names(versions.map(({ device }) => device)),
      ({ device }) => device,
    );
    const page = [];
    for (const version of versions) {
      const facts = await factsOf(version, names.get(version.device) ?? [], remotes);
      if (facts !== undefined) page.push({ version, facts });
    }
    yield page;
    after = last.n;
  }
}

async function factsOf(
  version: StoredConfigVersion,
  names: readonly StoredConfigName[],
  remotes: Stores["remotes"],
): Promise<ExportedFacts | undefined> {
  const nameAt = (n: number) => names.findLast(({ since }) => since <= n);
  const name = nameAt(version.n);
  // The history of the device was deleted meanwhile.
  if (name === undefined) return undefined;
  const before = name === names[0] ? undefined : await remotes.exportedBefore(version);
  const former = before && nameAt(before.n);
  const isElsewhere = former !== undefined && (former.shown !== name.shown || former.group !== name.group);
  const isMoved = isElsewhere && !(await remotes.isNameTaken(former, version.n));
  return {
    position: version.n,
    device: name.shown,
    group: name.group,
    part: version.part,
    seq: version.version,
    takenAt: version.takenAt,
    who: version.byOnDevice ?? version.who,
    jobId: version.jobId,
    ...(isMoved ? { formerly: { device: former.shown, group: former.group } } : {}),
  };
}

/** All versions above a position, without their texts. */
export async function* exportedFacts(stores: Stores, position: number): AsyncGenerator<ExportedFacts> {
  for await (const page of pagesAfter(stores, position)) for (const { facts } of page) yield facts;
}

/**
 * Versions above a position, with their texts; one whose text is damaged is left out.
 * @param isWanted whether a version is needed: only then its text is read
 */
export async function* exportedVersions(
  stores: Stores,
  position: number,
  isWanted: (facts: ExportedFacts) => boolean,
): AsyncGenerator<ExportedVersion> {
  for await (const page of pagesAfter(stores, position)) {
    const wanted = page.filter(({ facts }) => isWanted(facts));
    for (let at = 0; at < wanted.length; at += textsAtOnce) {
      const some = wanted.slice(at, at + textsAtOnce);
      const texts = await textsOf(
        stores,
        some.map(({ version }) => version),
      );
      for (const [index, { facts }] of some.entries()) {
        const text = texts[index];
        if (text !== undefined) yield { ...facts, text };
      }
    }
  }
}
