/** The nested configuration modes of a session, and how its prompt shows them. */
import type { PlatformPlugin } from "../../../plugin/platform.ts";
import type { SimulatedMode } from "../../../plugin/simulated.ts";
import type { TwinCursor } from "../../../twin/twin.ts";

export interface Modes {
  /** Enters a mode if the line leads into one; returns whether it did. */
  enter(line: string): boolean;
  /** Whether the line left a mode or all of them. */
  leave(line: string): boolean;
  /** The lines that opened the modes. */
  path(): readonly string[];
  clear(): void;
  /** @param base the prompt with the configuration mode in parentheses */
  prompt(base: string): string;
}

interface Open {
  readonly mode: SimulatedMode;
  readonly line: string;
}

/** How prompts name the configuration mode: `(config)`, `(Config)`, `(conf)`. */
const bracket = /\((conf(?:ig)?)[^()\n]*\)/i;

const commonModes: readonly SimulatedMode[] = [
  { line: /^interface\b/, mark: "{word}-if" },
  { line: /^router\b/, mark: "{word}-router" },
  { line: /^vlan\b/, mark: "{word}-vlan" },
  { line: /^ip access-list\b/, mark: "{word}-acl" },
];

/** The modes of a platform, and the word with which its prompt names the configuration. */
function modesOf({ simulated = {}, levels, config }: PlatformPlugin) {
  const example = config === undefined ? "" : (levels[config]?.example ?? "");
  const word = bracket.exec(example)?.[1];
  return { word, modes: simulated.modes ?? (word === undefined ? [] : commonModes) };
}

export function createModes(platform: PlatformPlugin): Modes {
  const { simulated = {} } = platform;
  const { word, modes } = modesOf(platform);
  let open: Open[] = [];

  /** How many open modes remain when the line enters this mode. */
  function depthOf({ within }: SimulatedMode): number {
    if (within === undefined) return 0;
    return open.findLastIndex(({ line }) => within.test(line)) + 1;
  }

  return {
    enter(line) {
      const mode = modes.find(
        (candidate) =>
          candidate.line.test(line) && (candidate.within === undefined || depthOf(candidate) > 0),
      );
      if (mode === undefined) return false;
      open = [...open.slice(0, depthOf(mode)), { mode, line }];
      return true;
    },
    leave(line) {
      if (open.length === 0) return false;
      if (simulated.out?.test(line)) {
        const inner = open.pop();
        if (inner?.mode.within !== undefined) open.pop();
        return true;
      }
      if (!(simulated.up ?? /^(?:exit|quit)$/).test(line)) return false;
      open.pop();
      return true;
    },
    path: () => open.map(({ line }) => line),
    clear() {
      open = [];
    },
    prompt: (base) => promptIn(base, open.at(-1), word),
  };
}

function promptIn(base: string, top: Open | undefined, word: string | undefined): string {
  if (top === undefined) return base;
  const { line, mode } = top;
  const groups = mode.line.exec(line) ?? [];
  const worded = (text: string) =>
    text
      .replace("{word}", word ?? "config")
      .replace(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? "");
  if (mode.prompt !== undefined) return worded(mode.prompt);
  return mode.mark === undefined ? base : base.replace(bracket, () => `(${worded(mode.mark ?? "")})`);
}

/** The modes of a twin, whose configuration knows where a line stands. */
export function createTwinModes(platform: PlatformPlugin, cursor: () => TwinCursor): Modes {
  const { simulated = {} } = platform;
  const { word, modes } = modesOf(platform);
  return {
    // A line is taken by the twin itself.
    enter: () => false,
    leave(line) {
      if (cursor().path().length === 0) return false;
      const leaves = simulated.out?.test(line) === true || (simulated.up ?? /^(?:exit|quit)$/).test(line);
      if (leaves) cursor().take([line]);
      return leaves;
    },
    path: () => cursor().path(),
    clear: () => cursor().reset(),
    prompt(base) {
      const path = cursor().path();
      const line = path.at(-1);
      if (line === undefined) return base;
      const isWithin = ({ within }: SimulatedMode) =>
        within === undefined || path.slice(0, -1).some((above) => within.test(above));
      const mode = modes.find((one) => one.line.test(line) && isWithin(one));
      return mode === undefined ? base : promptIn(base, { mode, line }, word);
    },
  };
}
