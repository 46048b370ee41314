/** State of a router: running configuration, lock, commits, and a pending confirmed commit. */

export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface CommitOptions {
  readonly replace: boolean;
  readonly comment: string;
  /** In seconds. */
  readonly confirmed?: number;
}

/** A session with its own candidate. */
export interface CandidateSession {
  lock(): void;
  unlock(): void;
  clear(): void;
  /** Loads lines, or shows the configuration. */
  configuration(text: string): string;
  commit(options: CommitOptions): number;
  rollback(): void;
  end(): void;
}

export interface RouterState {
  readonly running: string[];
  readonly comments: string[];
  /** Whether a session holds the lock. */
  locked(): boolean;
  /** Lines in the candidates of open sessions. */
  candidates(): readonly string[];
  /** Remaining seconds of the pending commit. */
  waiting(): number | undefined;
  /** Expires the timer of that commit. */
  expire(): void;
  /** Simulates a commit or lock by another user. */
  commitElsewhere(line: string): void;
  open(): CandidateSession;
  /** Unknown commands, as on older versions. */
  readonly unknown: Set<string>;
}

interface Trial {
  readonly seconds: number;
  readonly before: readonly string[];
}

export function createRouterState(): RouterState {
  const running = ["hostname R1", "interface Loopback0", " description old"];
  const history: (readonly string[])[] = [];
  const comments: string[] = [];
  const sessions = new Set<{ candidate: string[] }>();
  const unknown = new Set<string>();
  let holder: object | undefined;
  let trial: Trial | undefined;

  function set(lines: readonly string[]): void {
    history.push([...running]);
    running.splice(0, running.length, ...lines);
  }

  function open(): CandidateSession {
    const own = { candidate: [] as string[] };
    sessions.add(own);
    let commitsSeen = history.length;
    const merged = () => {
      const negated = own.candidate.flatMap((line) => (/^ *no /.test(line) ? [line.replace(/no /, "")] : []));
      const added = own.candidate.filter((line) => !/^ *no /.test(line) && !running.includes(line));
      return [...running.filter((line) => !negated.includes(line)), ...added];
    };
    const unlock = () => {
      if (holder === own) holder = undefined;
    };
    const clear = () => {
      own.candidate = [];
      commitsSeen = history.length;
    };

    function difference(after: readonly string[]): string {
      const removedLines = running.filter((line) => !after.includes(line)).map((line) => `-  ${line}`);
      const added = after.filter((line) => !running.includes(line)).map((line) => `+  ${line}`);
      const changes = [...removedLines, ...added];
      return changes.length === 0
        ? ""
        : ["Building configuration...", "!! IOS XR Configuration 7.3.2", ...changes].join("\n");
    }

    return {
      lock() {
        if (holder !== undefined && holder !== own)
          throw new Refused("0x41a00400", "The configuration is locked by session 00000201-000ff0aa");
        holder = own;
      },
      unlock,
      clear,
      configuration(text) {
        if (!text.startsWith("show ")) return load(own.candidate, text);
        if (unknown.has(text)) return `${text}\n ^\n% Invalid input detected at '^' marker.`;
        const head =
          "Sun Nov 22 12:00:00.000 UTC\nBuilding configuration...\n!! IOS XR Configuration 7.3.2\n";
        if (text === "show running-config") return `${head}${running.join("\n")}\nend`;
        if (text === "show configuration merge") return `${head}${merged().join("\n")}\nend`;
        if (text === "show commit changes diff") return difference(merged());
        if (text === "show configuration changes diff") return difference(own.candidate);
        if (text === "show configuration failed")
          return own.candidate
            .flatMap((line) => (/semantic/.test(line) ? [line, "!!% The value is out of range"] : []))
            .join("\n");
        return `${text}\n ^\n% Invalid input detected at '^' marker.`;
      },
      commit({ replace, comment, confirmed }) {
        if (holder !== undefined && holder !== own)
          throw new Refused("0x41a00400", "locked by another session");
        if (own.candidate.length === 0 && trial !== undefined) {
          trial = undefined;
          return 1_000_000_000 + history.length;
        }
        if (own.candidate.length === 0)
          throw new Refused("0x41864e00", "The target configuration buffer is empty.");
        if (commitsSeen !== history.length)
          throw new Refused("0x41866c00", "One or more commits have occurred from other sessions.");
        if (own.candidate.some((line) => /semantic/.test(line)))
          throw new Refused("0x41864800", "One or more errors: see 'show configuration failed'.");
        if (confirmed !== undefined) trial = { seconds: confirmed, before: [...running] };
        set(replace ? own.candidate : merged());
        comments.push(comment);
        clear();
        return 1_000_000_000 + history.length;
      },
      rollback() {
        if (holder !== undefined) throw new Refused("0x41a00400", "The configuration is locked.");
        const before = history.at(-1);
        if (before === undefined) throw new Refused("0x41a00100", "There is no commit to roll back.");
        set(before);
        trial = undefined;
      },
      end() {
        unlock();
        sessions.delete(own);
      },
    };
  }

  return {
    running,
    comments,
    unknown,
    locked: () => holder !== undefined,
    candidates: () => [...sessions].flatMap(({ candidate }) => candidate),
    waiting: () => trial?.seconds,
    expire() {
      if (trial !== undefined) set(trial.before);
      trial = undefined;
    },
    commitElsewhere: (line) => set([...running, line]),
    open,
  };
}

function load(candidate: string[], text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const bad = lines.find((line) => /bogus/.test(line));
  candidate.push(...lines.filter((line) => line !== bad));
  return bad === undefined ? "" : `${bad}\n^\n% Invalid input detected at '^' marker.`;
}
