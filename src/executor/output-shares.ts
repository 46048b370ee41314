/**
 * What the outputs of one key hold in memory on this thread, from the first byte until the job's end is stored. The less
 * room is left, the fewer of its devices are read, those furthest along first, so that each ends.
 */

/** Something that is read, and need not be for a while. */
export interface Source {
  /** Stops reading until the returned function is called. */
  hold(): () => void;
}

/** The share of one task. */
export interface OutputShare {
  /** Called with the size of each piece that was read. */
  took(size: number): void;
  /** Holds what the task reads from while others of its key are read. @returns forgets the source, and reads on */
  reads(source: Source): () => void;
  /** Milliseconds for which it was not read, in all. */
  heldMs(): number;
  /** Nothing more is read: what was read counts until `release`. */
  ended(): void;
  release(): void;
}

export interface OutputShares {
  enter(key: string): OutputShare;
}

/** A task that holds less is never held: small outputs pass while large ones wait. */
const smallBytes = 256 * 1024;
/** Devices that are read even without room, so that some end: one alone may be slow. */
const alwaysRead = 2;
/** Who is read is decided anew after this many bytes. */
const stepBytes = 128 * 1024;

interface Share {
  size: number;
  reading: boolean;
  /** What it reads from, with what reads on while it is held. */
  readonly sources: Map<Source, (() => void) | undefined>;
  held: boolean;
  since: number;
  /** Before `since`. */
  heldMs: number;
}

interface Key {
  size: number;
  /** The size at the last decision. */
  arrangedAt: number;
  readonly shares: Set<Share>;
}

/** @param limitBytes of one key */
export function createOutputShares(limitBytes: number): OutputShares {
  const keys = new Map<string, Key>();

  function enter(name: string): OutputShare {
    const key = keys.get(name) ?? { size: 0, arrangedAt: 0, shares: new Set() };
    keys.set(name, key);
    const share: Share = { size: 0, reading: true, sources: new Map(), held: false, since: 0, heldMs: 0 };
    key.shares.add(share);
    return {
      took(size) {
        if (!key.shares.has(share)) return;
        share.size += size;
        key.size += size;
        if (key.size - key.arrangedAt >= stepBytes) arrange(key);
      },
      reads(source) {
        share.sources.set(source, share.held ? source.hold() : undefined);
        return () => {
          share.sources.get(source)?.();
          share.sources.delete(source);
        };
      },
      heldMs: () => share.heldMs + (share.held ? performance.now() - share.since : 0),
      ended() {
        share.reading = false;
        arrange(key);
      },
      release() {
        if (!key.shares.delete(share)) return;
        share.reading = false;
        apply(share, false);
        key.size -= share.size;
        if (key.shares.size === 0) keys.delete(name);
        else arrange(key);
      },
    };
  }

  function arrange(key: Key): void {
    key.arrangedAt = key.size;
    // Nobody is held, and whoever is read may double what it has.
    const isCalm = key.size <= limitBytes / 2;
    const read = isCalm ? undefined : readOf(key, limitBytes - key.size);
    for (const share of key.shares) apply(share, read !== undefined && isLarge(share) && !read.has(share));
  }

  return { enter };
}

const isLarge = ({ size, reading }: Share): boolean => reading && size > smallBytes;

/**
 * The large ones that are read: each may need as much again as it has. Beyond the limit none is while a large output is
 * about to be stored, which makes room.
 */
function readOf({ shares }: Key, roomBytes: number): ReadonlySet<Share> {
  const ended = [...shares].some(({ size, reading }) => !reading && size > smallBytes);
  const always = roomBytes < 0 && ended ? 0 : alwaysRead;
  const read = new Set<Share>();
  let room = roomBytes;
  for (const share of [...shares].filter(isLarge).sort((one, other) => other.size - one.size)) {
    room -= share.size;
    if (room < 0 && read.size >= always) break;
    read.add(share);
  }
  return read;
}

function apply(share: Share, held: boolean): void {
  if (share.held === held) return;
  share.held = held;
  if (held) share.since = performance.now();
  else share.heldMs += performance.now() - share.since;
  for (const [source, free] of share.sources) {
    free?.();
    share.sources.set(source, held ? source.hold() : undefined);
  }
}
