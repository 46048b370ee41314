/** Builds results from matches: assigns them to groups and determines where records begin and end. */
import {
  add as addValues,
  indexError,
  PyDict,
  PyError,
  splitAt,
  truth,
  typeError,
  typeName,
  updateDict,
  type Value,
} from "../../python/index.ts";
import { groupAttributeNames, groupFunctions } from "../functions/group/index.ts";
import type { Call } from "../template/attributes.ts";
import type { Group, Line } from "../template/group.ts";
import { unknownName } from "../template/mistakes.ts";
import { chooseEntry, type Entry } from "./entries.ts";
import { argumentsOf } from "./own-arguments.ts";
import { copied, type PathItem, Paths, sameItems } from "./paths.ts";
import type { GroupId, RecordState } from "./record.ts";
import { asDict, RecordPlan, type Values } from "./record-plan.ts";
import type { ResultsView, Runtime } from "./runtime.ts";

export interface ResultsOptions {
  /** Path -> variables that are saved there. */
  readonly varsToResults: ReadonlyMap<string, readonly Value[]>;
  /** Default values of a group in this run. */
  readonly runs: (group: Group) => ReadonlyMap<string, Value>;
}

/** The current record, and the plan to build it while its lines only have values. */
interface Building extends RecordState {
  group: Group | undefined;
  plan: RecordPlan | undefined;
  readonly lines: Values[];
}

const NO_DEFAULTS: ReadonlyMap<string, Value> = new Map();

const EMPTY = (): Building => ({
  result: new PyDict(),
  defaults: NO_DEFAULTS,
  path: [],
  functions: [],
  groupId: undefined,
  mergeWithLast: false,
  group: undefined,
  plan: undefined,
  lines: [],
});

/** @param before existing results to add to. */
export function makeResults(
  groups: readonly (readonly Entry[])[],
  before: Value,
  options: ResultsOptions,
  rt: Runtime,
): Value {
  const { runs } = options;
  const { vars } = rt;
  let record = EMPTY();
  const started: GroupId[] = [];
  const ended = new Set<string>();
  const paths = new Paths(before, rt.keysToInt, rt.meter);
  const pathCache = new Map<string, Value>();
  const plans = new Map<Line, RecordPlan>();
  const tails = new Map<Line, RecordPlan>();

  const dictOf = (value: Value): PyDict => {
    if (value instanceof PyDict) return value;
    throw typeError(`results of a group must be a dictionary here, not ${typeName(value)}`);
  };
  const form = (path: (string | PathItem)[]) => paths.form(path, record.result, pathCache, vars);

  function save(data: Value, path: PathItem[]): void {
    const at = copied(path);
    const place = paths.reach(at);
    if (Array.isArray(place) && truth(data)) {
      if (!record.mergeWithLast) place.push(data);
      else merge(lastOf(place), data);
    } else if (place instanceof PyDict) {
      if (record.mergeWithLast) merge(place, data);
      else if (at.at(-1)?.stars === "**") {
        const dict = dictOf(data);
        dict.take(place);
        place.take(dict);
      } else if (place.size > 0) paths.toList(at, data);
      else if (data instanceof PyDict) place.take(data);
      else updateDict(place, [data], undefined, rt.meter);
    }
  }

  function merge(into: Value, data: Value): void {
    const target = dictOf(into);
    dictOf(data).each((key, value) => {
      const existing = target.get(key);
      if (existing !== undefined && truth(existing) && value instanceof PyDict) merge(existing, value);
      else target.set(key, value);
    });
  }

  /** Applies the group's functions; returns false if they drop the record. */
  function process(): PathItem[] | false {
    if (record.plan !== undefined) assemble(record.defaults);
    else if (record.defaults.size > 0) {
      const result = dictOf(record.result);
      for (const [key, value] of record.defaults) if (!result.has(key)) result.set(key, value);
    }
    if (record.mergeWithLast) {
      const path = form([...record.path]);
      if (path !== false && path.length > 0) record.result = withLast(path);
    }
    if (record.functions.length === 0 && record.group !== undefined) {
      const fixed = paths.fixed(record.group.path);
      if (fixed !== undefined) return fixed;
    }
    for (const call of record.functions) {
      const run = groupFunctions.get(call.name);
      if (run === undefined) throw unknownGroupFunction(call);
      rt.meter.step();
      const { args, kwargs } = argumentsOf(call, rt);
      const { data, flag } = run(record.result, args, kwargs, rt);
      record.result = data;
      if (flag === false) return false;
    }
    const path = form(record.path);
    if (path === false || path.length === 0) return false;
    return path;
  }

  /** Builds the dictionary of the lines so far. */
  function assemble(defaults: ReadonlyMap<string, Value>): void {
    if (record.plan === undefined) return;
    record.result = record.plan.build(record.lines, defaults);
    record.plan = undefined;
  }

  function withLast(path: PathItem[]): Value {
    const place = paths.reach(path);
    const last = Array.isArray(place) ? lastOf(place) : place;
    const copy = dictOf(last ?? null).copy();
    copy.take(dictOf(record.result));
    return copy;
  }

  function flush(): void {
    const path = process();
    if (path !== false) save(record.result, path);
  }

  function trace(line: Line): void {
    const { group } = line;
    while (started.length > 0) {
      if (group.parent?.key === started.at(-1)?.key || line.isLine) {
        started.push(group.id);
        return;
      }
      started.pop();
    }
    started.push(group.id);
  }

  /** @param tail whether the line follows a child group: its results belong to the last saved item. */
  function start(line: Line, result: PyDict | Values, tail: boolean): void {
    const { group } = line;
    trace(line);
    flush();
    const isDict = result instanceof PyDict;
    record = {
      result: isDict ? result : null,
      defaults: tail ? NO_DEFAULTS : runs(group),
      path: [...group.path],
      functions: group.functions,
      groupId: group.id,
      mergeWithLast: tail,
      group,
      plan: isDict ? undefined : planFor(line, tail),
      lines: isDict ? [] : [result],
    };
  }

  function planFor(line: Line, tail: boolean): RecordPlan {
    const cache = tail ? tails : plans;
    let plan = cache.get(line);
    if (plan === undefined) {
      plan = RecordPlan.of(line, line.action === "startempty" && !tail);
      cache.set(line, plan);
    }
    return plan;
  }

  const samePath = ({ path }: Group): boolean =>
    record.path.length === path.length && (record.group?.path === path || sameItems(record.path, path));
  const isStarted = (id: GroupId | undefined): boolean => started.some((entry) => entry.key === id?.key);

  function addLine(line: Line, result: PyDict | Values): void {
    if (!samePath(line.group)) {
      if (isStarted(line.group.id)) start(line, result, true);
      return;
    }
    const plan = result instanceof PyDict ? undefined : record.plan?.with(line);
    if (plan !== undefined && !(result instanceof PyDict)) {
      record.plan = plan;
      record.lines.push(result);
      return;
    }
    assemble(NO_DEFAULTS);
    const added = asDict(line, result);
    added.take(dictOf(record.result));
    record.result = added;
  }

  function joinLine(line: Line, data: PyDict | Values): void {
    if (!samePath(line.group)) {
      if (isStarted(line.group.id)) start(line, data, true);
      return;
    }
    assemble(NO_DEFAULTS);
    joinInto(dictOf(record.result), line, asDict(line, data), rt);
  }

  function endLine(line: Line): void {
    const [last] = started.slice(-1);
    if (!samePath(line.group)) {
      if (last === undefined) throw indexError("list index out of range");
      if (last.key === line.group.id.key) return;
    }
    ended.add(line.group.id.key);
  }

  function take({ line, result }: Entry): void {
    const { group } = line;
    if (result === false) {
      ended.add(group.id.key);
      return;
    }
    if (group.parent !== undefined && ended.has(group.parent.key)) return;
    if (ended.has(group.id.key)) {
      if (!line.action.startsWith("start")) return;
      ended.delete(group.id.key);
    }
    if (line.action === "start") start(line, result, false);
    else if (line.action === "startempty") start(line, [], false);
    else if (line.action === "add") addLine(line, result);
    else if (line.action === "join") joinLine(line, result);
    else endLine(line);
  }

  const view: ResultsView = {
    get record() {
      return record;
    },
    pathCache,
    saveAt(path, data) {
      const formed = form([...path]);
      if (formed === false) throw typeError("the path of itemize can't be formed");
      save(data, formed);
    },
  };
  rt.results = view;

  if (groups.length > 0) {
    for (const path of [...options.varsToResults.keys()].sort()) {
      if (path === "") continue;
      record = EMPTY();
      const result = new PyDict();
      for (const name of options.varsToResults.get(path) ?? []) {
        const value = vars.get(name);
        if (value !== undefined) result.set(name, value);
      }
      record.result = result;
      const formed = form(splitAt(path, "."));
      if (formed !== false) save(result, formed);
    }
    record = EMPTY();
  }
  for (const group of groups)
    for (let from = 0, to = 1; from < group.length; from = to++) {
      while (to < group.length && group[to]?.at === group[from]?.at) to++;
      rt.meter.step();
      const entry =
        to - from === 1 ? group[from] : chooseEntry(group.slice(from, to), record.groupId, isStarted);
      if (entry !== undefined) take(entry);
    }
  flush();
  return paths.root;
}

function unknownGroupFunction({ name, line }: Call): PyError {
  const message = unknownName("group function", name, groupAttributeNames);
  return new PyError("KeyError", message, line === undefined ? {} : { line });
}

function lastOf(list: Value[]): Value {
  const last = list.at(-1);
  if (last !== undefined) return last;
  throw indexError("list index out of range");
}

function joinInto(record: PyDict, line: Line, result: PyDict, rt: Runtime): void {
  const joined = joinText(line, result);
  for (const [key, value] of result.entries()) {
    const existing = record.get(key);
    if (existing === undefined) record.set(key, value);
    else if (typeof existing === "string") record.set(key, addValues(existing + joined, value, rt.meter));
    else if (!Array.isArray(existing)) record.set(key, [existing, value]);
    else if (Array.isArray(value)) existing.push(...value);
    else existing.push(value);
  }
}

/** The separator of `joinmatches`; default: line feed. */
function joinText(line: Line, result: PyDict): string {
  let joined = "\n";
  for (const name of result.keys()) {
    const variable = line.variables.get(String(name));
    const call = variable?.functions.find((candidate) => candidate.name === "joinmatches");
    const [separator] = call?.args ?? [];
    if (typeof separator === "string") joined = separator;
  }
  return joined;
}
