/**
 * Which of several servers is the primary. After a fail-over a former primary may come back and accept writes again,
 * which nobody else would ever see: the timeline, which grows with each promotion, tells them apart.
 */
import type { Log } from "../../../base/log.ts";
import { neverAborted, pause, within } from "../../../base/time/deadline.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What a server says of itself. */
export interface Seen {
  /** The same for a primary and its standbys. */
  readonly system: string;
  /** 0: it only reads. */
  readonly timeline: number;
  /** Tells two servers from two names of one. */
  readonly started: string;
}

interface Found extends Seen {
  readonly place: Place;
}

export interface Primary {
  /** @throws Error if none of the servers is the primary, or none that is newer than what was known */
  find(): Promise<Place>;
  /** Whether another server is the primary by now than when it was found. Former primaries are noticed. */
  hasMoved(): Promise<boolean>;
  /** Servers that accept writes and are not the primary, as last seen: `host:port`. */
  rivals(): readonly string[];
}

/** In which a server answers. */
const lookMs = 2_000;
const againMs = 200;

export function createPrimary(places: readonly Place[], look: (place: Place) => Promise<Seen>): Primary {
  /** The newest that was ever found; what is older is never used again. */
  let newest: Found | undefined;
  let used: Found | undefined;
  let rivals: readonly string[] = [];
  let finding: Promise<Found> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  /** @param isEnough ends the search early */
  async function lookAll(isEnough: (found: Found) => boolean): Promise<Found[]> {
    const found: Found[] = [];
    await new Promise<void>((resolve) => {
      const one = async (place: Place) => {
        try {
          const late = () => new Error(`${nameOf(place)} does not answer`);
          const seen = { ...(await within(look(place), lookMs, neverAborted, late)), place };
          if (seen.timeline === 0) return;
          found.push(seen);
          if (isEnough(seen)) resolve();
        } catch {
          // It is down, or on the way up.
        }
      };
      void Promise.all(places.map(one)).then(() => resolve());
    });
    return found;
  }

  /** The newest of them, if it is not older than what was known. */
  function chosen(found: readonly Found[]): Found {
    const system = newest?.system ?? found[0]?.system;
    if (newest === undefined && found.some((one) => one.system !== system))
      throw new Error(`${shown(found)} are primaries of different databases: name those of one`);
    const ours = found.filter((one) => one.system === system);
    const [best] = ours.toSorted((a, b) => b.timeline - a.timeline || preference(b) - preference(a));
    if (best === undefined)
      throw new Error(
        found.length === 0
          ? `none of ${places.map(nameOf).join(", ")} is a primary`
          : `${shown(found)} has another database than before: restart the service if that is meant`,
      );
    if (newest !== undefined && best.timeline < newest.timeline)
      throw new Error(`${nameOf(best.place)} was the primary before ${nameOf(newest.place)}: it is not used`);
    return best;
  }

  const preference = ({ place }: Found) => (place === used?.place ? 1 : 0);

  async function search(): Promise<Found> {
    const known = newest;
    // While there is none, all who wait for one look together, and not too often.
    await pause(Math.max(0, failedAt + againMs - performance.now()));
    const found = await lookAll(
      ({ system, timeline }) => known !== undefined && system === known.system && timeline >= known.timeline,
    );
    if (known === undefined) return note(found);
    newest = chosen(found);
    return newest;
  }

  /** @param found all that answer */
  function note(found: readonly Found[]): Found {
    const best = chosen(found);
    newest = best;
    rivals = found.filter((one) => one.started !== best.started).map(({ place }) => nameOf(place));
    return best;
  }

  return {
    async find() {
      finding ??= search().finally(() => {
        finding = undefined;
      });
      try {
        used = await finding;
        return used.place;
      } catch (error) {
        failedAt = performance.now();
        throw error;
      }
    },
    async hasMoved() {
      const found = await lookAll(() => false);
      if (found.length === 0) return false;
      const before = used;
      const best = note(found);
      return before !== undefined && best.timeline > before.timeline;
    },
    rivals: () => rivals,
  };
}

const nameOf = ({ host, port }: Place) => (host.startsWith("/") ? `${host} (${port})` : `${host}:${port}`);
const shown = (found: readonly Found[]) => found.map(({ place }) => nameOf(place)).join(" and ");

const guardMs = 5_000;

/**
 * Looks at the servers now and then: a connection to a former primary that was suspended or cut off works again
 * afterwards, without an error.
 * @param onMoved makes new connections
 * @returns ends it
 */
export function guardPrimary(primary: Primary, onMoved: () => Promise<void>, log: Log): () => void {
  let told = "";
  let looking = false;

  async function guard(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      if (await primary.hasMoved()) {
        log.warn("store.primary_moved");
        await onMoved();
      }
      tell(primary.rivals().join(", "));
    } catch (error) {
      log.debug("store.primary_not_found", { reason: String(error) });
    } finally {
      looking = false;
    }
  }

  function tell(rivals: string): void {
    if (rivals !== "" && rivals !== told) log.error("store.second_primary", { servers: rivals });
    told = rivals;
  }

  const timer = setInterval(() => void guard(), guardMs);
  timer.unref();
  return () => clearInterval(timer);
}
