/**
 * A twin: a configuration that takes lines one by one, as a device does, which looks at no indentation. It says of each
 * line whether it knows it.
 */
import { takeInto } from "../configtree/apply.ts";
import { readCommand, wholeCommand } from "../configtree/menu-text.ts";
import { hasMenus, menuCursor, takeMenus } from "../configtree/menus.ts";
import { createModels } from "../configtree/model.ts";
import type { Effect, Refusal } from "../configtree/outcome.ts";
import { hasPaths, takePaths } from "../configtree/paths.ts";
import { createRewriter } from "../configtree/rewrite.ts";
import type { TreeRules } from "../configtree/rules.ts";
import { createKnowledge, type Knowledge, type TwinMode } from "./knowledge.ts";

export type { TwinMode } from "./knowledge.ts";

/** What its system says of lines. */
export interface TwinRules {
  readonly rules: TreeRules;
  readonly modes: readonly TwinMode[];
}

export interface TwinLine {
  readonly effect: Effect;
  /** First lines of the sections that it stands in; of a system of paths, words. */
  readonly path: readonly string[];
  /** By the rules of the system. A line that is refused changes nothing. */
  readonly refusal: Refusal | undefined;
  /** Undefined: such a line is known there. Else it is kept as it stands. */
  readonly unknown: string | undefined;
}

/** Where one writer stands. */
export interface TwinCursor {
  /**
   * @param block a line, with the others of its text
   * @param opensMore it is written as the beginning of a section, which counts if nothing else is known
   * @returns undefined for a line that says nothing
   */
  take(block: readonly string[], opensMore?: boolean): TwinLine | undefined;
  path(): readonly string[];
  /** Leaves all sections. */
  reset(): void;
}

export interface Twin {
  cursor(): TwinCursor;
  /** As its text was written; until something changes, exactly. */
  running(): string;
  /** As commands that set it; undefined: its system has no such form. */
  commands(): string | undefined;
  /** Another one with the same configuration. */
  copy(): Twin;
  replace(text: string): void;
}

interface Writer {
  take(block: readonly string[], opensMore: boolean): TwinLine | undefined;
  path(): readonly string[];
}

interface State {
  writer(): Writer;
  running(): string;
  commands(): string | undefined;
}

export function createTwin(text: string, twinRules: TwinRules): Twin {
  const makeState = hasMenus(twinRules.rules)
    ? menuState
    : hasPaths(twinRules.rules)
      ? pathState
      : sectionState;
  let state = makeState(text, twinRules);
  return {
    cursor() {
      let [of, writer] = [state, state.writer()];
      const reset = () => {
        [of, writer] = [state, state.writer()];
      };
      // Another configuration has taken the place of the one that it stood in.
      const current = () => {
        if (of !== state) reset();
        return writer;
      };
      return {
        take: (block, opensMore = false) => current().take(block, opensMore),
        path: () => current().path(),
        reset,
      };
    },
    running: () => state.running(),
    commands: () => state.commands(),
    copy: () => createTwin(state.running(), twinRules),
    replace(other) {
      state = makeState(other, twinRules);
    },
  };
}

const changes = (effect: Effect) => effect !== "nothing" && effect !== "leaves" && effect !== "enters";

const isRange = /^interface (?:range\b|.*\d[,-])/;
const kept = "nothing is known of such a line";

function sectionState(text: string, { rules, modes }: TwinRules): State {
  const models = createModels(rules);
  const model = models.modelOf(text);
  const application = takeInto(model, models, rules);
  const knowledge = createKnowledge(text, rules, modes);
  const hasBlocks = rules.shape === "blocks";
  let isChanged = false;
  let rewrite: ReturnType<typeof createRewriter> | undefined;

  function writer(): Writer {
    const cursor = application.cursor();
    /** Indentation with which the open sections were given. */
    let given: number[] = [];
    /** Those whose lines were given with more. */
    let isDeeper: boolean[] = [];

    function take(block: readonly string[], opensMore: boolean): TwinLine | undefined {
      const [first = "", ...rest] = block;
      const line = first.trim();
      const indent = first.length - first.trimStart().length;
      const path = cursor.path();
      const isInside = indent > (given.at(-1) ?? Number.POSITIVE_INFINITY);
      if (isInside) isDeeper[path.length - 1] = true;
      const isWrittenOutside = !isInside && isDeeper[path.length - 1] === true;
      const { depth, isGuess } = hasBlocks
        ? { depth: path.length, isGuess: false }
        : placeFor(line, path, isInside, knowledge, rules);
      const at = path.slice(0, depth);
      const opensThis = opensMore || (knowledge.depthOf(line, at) === depth && !knowledge.isList(line, at));
      const told = cursor.take([line, ...rest], { opensMore: opensThis, depth, isStrict: true });
      if (told === undefined) return undefined;
      const { effect, refusal } = told;
      if (refusal !== undefined) return { ...told, refusal, unknown: undefined };
      if (changes(effect)) isChanged = true;
      const now = cursor.path();
      given = now.map((_, place) => given[place] ?? indent);
      isDeeper = isDeeper.slice(0, now.length);
      if (now.length > told.path.length) {
        given[now.length - 1] = indent;
        isDeeper[now.length - 1] = false;
      }
      return {
        ...told,
        refusal: undefined,
        unknown: isGuess && !isWrittenOutside ? guessed(path) : doubtOf(effect, line, told.path),
      };
    }

    const guessed = (path: readonly string[]) =>
      `such lines are known outside of all sections, and nothing left "${path.at(-1)}" before it`;

    function doubtOf(effect: Effect, line: string, at: readonly string[]): string | undefined {
      if (isRange.test(line)) return "what several interfaces get at once is not shown by each of them";
      if (effect === "leaves" || effect === "enters" || effect === "removes") return undefined;
      if (knowledge.isKnown(line, at) || knowledge.depthOf(line, at) === at.length) return undefined;
      if (hasBlocks && at.length > 0 && /^(?:config|edit|set|unset|move|append) /.test(line))
        return undefined;
      const elsewhere = knowledge.placeOf(line);
      if (elsewhere === undefined) return kept;
      return `such lines are known ${elsewhere === "" ? "outside of all sections" : `in "${elsewhere}"`} only`;
    }

    return { take, path: () => cursor.path() };
  }

  return {
    writer,
    running() {
      if (!isChanged) return text;
      rewrite ??= createRewriter(text, rules);
      return rewrite(application.top);
    },
    commands: () => undefined,
  };
}

/**
 * In how many of the open sections a line stands. A device looks at no indentation, and tries the innermost section first:
 * indentation can only keep a line in.
 */
function placeFor(
  line: string,
  path: readonly string[],
  isInside: boolean,
  knowledge: Knowledge,
  { negate }: TreeRules,
): { readonly depth: number; readonly isGuess: boolean } {
  const inner = path.length;
  const surely = (depth: number) => ({ depth, isGuess: false });
  if (inner === 0 || isInside || knowledge.isKnownThere(line, path)) return surely(inner);
  const opens = knowledge.depthOf(line, path);
  if (opens !== undefined) return surely(opens);
  if (knowledge.opens(line))
    for (let depth = inner - 1; depth >= 0; depth--)
      if (knowledge.isKnownThere(line, path.slice(0, depth))) return surely(depth);
  // Where `no` negates, a section that does not know a line gives it to the configuration around all.
  const isOfTop =
    knowledge.isKnownThere(line, []) || (knowledge.hasWord(line, []) && !knowledge.hasWord(line, path));
  return negate === "no" && isOfTop ? { depth: 0, isGuess: true } : surely(inner);
}

function pathState(text: string, { rules }: TwinRules): State {
  const paths = takePaths(text, rules);
  const isBraces = text.includes("{") || (rules.shape === "braces" && text.trim() === "");
  const before = paths.commands();
  const knowledge = createKnowledge(before, { ...rules, shape: "set" }, []);
  const verb = rules.negate ?? "delete";
  const verbs: ReadonlySet<string> = new Set(["set", "insert", "activate", "deactivate", verb]);

  function writer(): Writer {
    const cursor = paths.cursor();
    return {
      path: cursor.path,
      take([line = ""]) {
        const told = cursor.take(line);
        if (told === undefined) return undefined;
        return { ...told, refusal: undefined, unknown: doubtOf(told.effect, line.trim(), told.path) };
      },
    };
  }

  function doubtOf(effect: Effect, line: string, at: readonly string[]): string | undefined {
    const [command = "", ...words] = line.split(/\s+/);
    if (effect === "unclear") return "it is not known what it does";
    if (effect !== "adds" && effect !== "replaces") return undefined;
    if (!verbs.has(command)) return undefined;
    const path = [...at, ...words];
    return knowledge.isKnown(`set ${path.join(" ")}`, []) || isRuled(path) ? undefined : kept;
  }

  /** The rules say what stands behind its last words. */
  function isRuled(path: readonly string[]): boolean {
    const { names = [], singles = [], presence = [] } = rules.paths ?? {};
    const above = path.slice(0, -1).join(" ");
    return (
      [...names, ...singles].some((pattern) => pattern.test(above)) ||
      presence.some((pattern) => pattern.test(path.join(" ")))
    );
  }

  const isSame = () => paths.commands() === before;
  return {
    writer,
    running: () => (isSame() ? text : isBraces ? paths.braces() : paths.commands()),
    commands: () => paths.commands(),
  };
}

function menuState(text: string, { rules }: TwinRules): State {
  const configuration = takeMenus(text, rules);
  /** Properties by menu, as the text has them. */
  const known = new Map<string, ReadonlySet<string>>();
  for (const { path, own, items } of configuration.menus.values())
    known.set(path, new Set([...own.keys(), ...[...items].flatMap(({ values }) => [...values.keys()])]));
  let isChanged = false;

  function writer(): Writer {
    const cursor = menuCursor(configuration);
    return {
      path: cursor.path,
      take(block) {
        const here = cursor.path()[0] ?? "/";
        const told = cursor.take(block);
        if (told === undefined) return undefined;
        if (changes(told.effect)) isChanged = true;
        const { effect, path, refusal } = told;
        return { effect, path, refusal, unknown: doubtOf(effect, wholeCommand(block), here) };
      },
    };
  }

  function doubtOf(effect: Effect, line: string, here: string): string | undefined {
    if (effect === "unclear") return "it is not known what it does";
    const command = readCommand(line, here);
    if (command === undefined || (effect !== "adds" && effect !== "replaces")) return undefined;
    const { menu, verb, values } = command;
    const own = known.get(menu);
    if (own === undefined) return `nothing of ${menu} is known`;
    if (verb === "move" || verb === "enable" || verb === "disable") return undefined;
    const other = [...values.keys()].find((name) => !own.has(name) && !always.has(name));
    return other === undefined ? undefined : `nothing is known of ${other} in ${menu}`;
  }

  return {
    writer,
    running: () => (isChanged ? configuration.text() : text),
    commands: () => undefined,
  };
}

/** Properties of all menus. */
const always: ReadonlySet<string> = new Set(["comment", "disabled", "place-before"]);
