/** Valibot schema of a platform definition, with messages that name the wrong field. */

import * as v from "valibot";
import { cutObjects, sessionTransports } from "../../configlines/lockout.ts";

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));
const pattern = v.instance(RegExp, "must be a regular expression");
const question = v.strictObject({
  ask: pattern,
  example: v.optional(text),
  reply: v.string(),
  newline: v.optional(v.literal(false)),
});
const step = v.strictObject({
  send: v.string(),
  questions: v.optional(v.array(question)),
  success: v.optional(pattern),
  failed: v.optional(pattern),
});
const level = v.strictObject({
  example: v.optional(text),
  prompt: pattern,
  not: v.optional(pattern),
  from: v.optional(text),
  enter: v.optional(text),
  leave: v.optional(text),
  asks: v.optional(pattern),
  also: v.optional(text),
  withoutSecret: v.optional(v.strictObject({ enter: v.optional(text), questions: v.array(question) })),
  refused: v.optional(pattern),
  leaveQuestions: v.optional(v.array(question)),
});
const candidate = v.looseObject({
  own: v.optional(v.union([v.literal(true), text])),
  diff: text,
  explain: v.optional(text),
  commit: v.array(step),
  commitComment: v.optional(v.array(step)),
  confirm: v.optional(v.array(step)),
  confirmComment: v.optional(v.array(step)),
  discard: v.array(step),
  failed: v.array(pattern),
});
const undo = v.strictObject({
  way: v.picklist(["confirmed_commit", "rollback", "checkpoint", "replace", "difference"]),
  when: v.optional(v.strictObject({ send: text, says: pattern })),
  timer: v.optional(v.strictObject({ mostMinutes: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  before: v.optional(v.array(step)),
  enter: v.optional(text),
  candidate: v.optional(candidate),
  within: v.optional(v.pipe(text, v.includes("{command}", "must hold {command}"))),
  level: v.optional(text),
  keep: v.optional(v.array(step)),
  extend: v.optional(v.array(step)),
  back: v.optional(v.array(step)),
  clean: v.optional(v.array(step)),
  alone: v.optional(v.literal(true)),
});
const completeness = v.union([pattern, v.literal("braces")], 'must be a regular expression or "braces"');
const path = v.pipe(v.string(), v.regex(/^\/[^\0\n]{0,1000}$/, "must be an absolute path"));
const lineRule = v.strictObject({
  line: pattern,
  within: v.optional(pattern),
  single: v.optional(text),
  distinct: v.optional(text),
  refusesSecond: v.optional(v.boolean()),
  refusesAbsent: v.optional(v.boolean()),
  ...{ keepsMore: v.optional(v.boolean()), removesAny: v.optional(v.boolean()) },
  rewrites: v.optional(v.boolean()),
  belongsTo: v.optional(text),
  remove: v.optional(v.nullable(text)),
  takes: v.optional(v.array(text)),
  isNeeded: v.optional(v.boolean()),
  takesWhenSet: v.optional(v.boolean()),
  isNamed: v.optional(v.boolean()),
  place: v.optional(v.strictObject({ of: text, name: text, after: text, before: text })),
  needs: v.optional(v.array(text)),
  isDefault: v.optional(v.boolean()),
  values: v.optional(
    v.strictObject({
      ...{ of: text, group: text, form: v.picklist(["range", "to", ",", " "]) },
      ...{ isCumulative: v.optional(v.boolean()), opensSection: v.optional(v.boolean()) },
      ...{ add: text, remove: text, none: text },
    }),
  ),
  sequence: v.optional(v.strictObject({ of: text, whole: v.optional(text), single: v.boolean() })),
});
const running = v.strictObject({
  show: text,
  otherwise: v.optional(text),
  startup: v.optional(text),
  set: v.optional(text),
  files: v.optional(v.array(path)),
  ignore: v.optional(v.array(pattern)),
  complete: v.optional(
    v.union([
      completeness,
      v.strictObject({
        running: v.optional(completeness),
        startup: v.optional(completeness),
        set: v.optional(completeness),
      }),
    ]),
  ),
  leastBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  secrets: v.optional(
    v.array(
      v.strictObject({
        pattern,
        within: v.optional(pattern),
        until: v.optional(pattern),
        reencrypted: v.optional(v.literal(true)),
      }),
    ),
  ),
  changedBy: v.optional(v.array(pattern)),
  storedApart: v.optional(v.array(pattern)),
  shape: v.optional(v.picklist(["indent", "braces", "set", "blocks", "menus", "none"])),
  texts: v.optional(v.array(v.strictObject({ start: pattern, end: v.optional(pattern) }))),
  paths: v.optional(
    v.strictObject({
      names: v.optional(v.array(pattern)),
      singles: v.optional(v.array(pattern)),
      ordered: v.optional(v.array(pattern)),
      chains: v.optional(v.array(pattern)),
      presence: v.optional(v.array(pattern)),
    }),
  ),
  menus: v.optional(
    v.strictObject({
      keys: v.optional(v.array(v.strictObject({ menu: pattern, keys: v.array(text) }))),
      ordered: v.optional(v.array(pattern)),
      fixed: v.optional(v.array(pattern)),
      defaults: v.optional(v.array(v.strictObject({ menu: pattern, values: v.record(text, v.string()) }))),
      named: v.optional(v.array(pattern)),
      references: v.optional(v.array(text)),
    }),
  ),
  unordered: v.optional(v.array(pattern)),
  ordered: v.optional(v.array(pattern)),
  negate: v.optional(text),
  negated: v.optional(v.array(pattern)),
  permanent: v.optional(v.array(pattern)),
  sections: v.optional(v.array(pattern)),
  vanishing: v.optional(v.array(pattern)),
  leave: v.optional(text),
  lines: v.optional(v.array(lineRule)),
  refusals: v.optional(v.array(pattern)),
  notices: v.optional(v.array(pattern)),
  modules: v.optional(v.strictObject({ show: text, names: pattern })),
  access: v.optional(
    v.strictObject({
      interfaces: v.array(pattern),
      vlanInterface: v.optional(pattern),
      loginLists: v.array(pattern),
      listEntries: v.array(pattern),
      termParts: v.optional(v.array(pattern)),
      sets: v.optional(v.array(pattern)),
      isOpen: v.optional(v.literal(true)),
      routes: v.array(pattern),
      cuts: v.array(
        v.strictObject({
          line: pattern,
          of: v.optional(v.picklist(cutObjects)),
          transport: v.optional(v.array(v.picklist(sessionTransports))),
        }),
      ),
    }),
  ),
  asks: v.optional(v.array(pattern)),
  comment: v.optional(text),
  divider: v.optional(text),
});
const name = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_-]*$/, "must be lower case letters, digits, _ and -"));

export const platformSchema = v.looseObject({
  api: v.literal(1),
  kind: v.literal("platform"),
  name,
  aliases: v.optional(v.array(name)),
  detect: v.optional(
    v.array(v.strictObject({ send: text, says: pattern, vague: v.optional(v.literal(true)) })),
  ),
  levels: v.record(text, level),
  home: text,
  config: v.optional(text),
  inPlace: v.optional(v.array(text)),
  login: v.optional(v.array(question)),
  prepare: v.optional(v.array(v.string())),
  prepareAt: v.optional(v.strictObject({ level: text, commands: v.array(v.string()) })),
  goodbye: v.optional(v.array(v.string())),
  errors: v.array(pattern),
  afterRefusal: v.optional(text),
  pager: v.optional(
    v.strictObject({
      prompt: pattern,
      press: text,
      example: v.optional(text),
      others: v.optional(v.array(v.strictObject({ prompt: pattern, press: text }))),
    }),
  ),
  questions: v.optional(v.array(question)),
  endsWithLine: v.optional(v.literal(true)),
  context: v.optional(v.strictObject({ pattern, enter: v.optional(text), leave: text })),
  hiddenState: v.optional(v.literal(true)),
  above: v.optional(pattern),
  blocks: v.optional(
    v.array(v.strictObject({ start: pattern, end: v.optional(pattern), says: v.optional(text) })),
  ),
  continues: v.optional(pattern),
  save: v.optional(v.array(step)),
  saveLevel: v.optional(text),
  candidate: v.optional(candidate),
  running: v.optional(running),
  undo: v.optional(v.array(undo)),
  keys: v.optional(v.record(v.pipe(v.string(), v.length(1, "must be one character")), v.nullable(text))),
  keyQuotes: v.optional(text),
  controls: v.optional(v.pipe(v.string(), v.regex(/^[\x00-\x1f\x7f]+$/, "must be control characters"))),
  literally: v.optional(v.array(v.strictObject({ when: pattern, send: text }))),
  newline: v.optional(v.picklist(["\n", "\r", "\r\n"])),
  terminal: v.optional(
    v.strictObject({
      cols: v.pipe(v.number(), v.integer(), v.minValue(20), v.maxValue(4096)),
      rows: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(65_535)),
      type: v.optional(text),
    }),
  ),
  echo: v.optional(v.literal(false)),
  encoding: v.optional(text),
  loginAs: v.optional(text),
  pipelines: v.optional(v.literal(true)),
  legacySsh: v.optional(v.literal(true)),
  telnet: v.optional(
    v.strictObject({
      username: v.optional(pattern),
      password: v.optional(pattern),
      failed: v.optional(pattern),
    }),
  ),
  simulated: v.optional(
    v.strictObject({
      lands: v.optional(text),
      refusal: v.optional(text),
      asks: v.optional(text),
      denied: v.optional(text),
      saved: v.optional(text),
      committed: v.optional(text),
      rename: v.optional(v.nullable(text)),
      nameWidth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      modes: v.optional(
        v.array(
          v.strictObject({
            line: pattern,
            mark: v.optional(text),
            prompt: v.optional(text),
            within: v.optional(pattern),
          }),
        ),
      ),
      up: v.optional(pattern),
      out: v.optional(pattern),
      contexts: v.optional(v.array(v.strictObject({ enter: pattern, name: text, leave: pattern }))),
      pipes: v.optional(v.picklist(["ios", "nxos", "junos", "vrp"])),
      ways: v.optional(
        v.array(
          v.strictObject({
            line: pattern,
            does: v.picklist([
              "keep",
              "restore",
              "forget",
              "open",
              "drop",
              "trial",
              "commit",
              "revert",
              "previous",
              "extend",
            ]),
            level: v.optional(text),
            enters: v.optional(v.literal(true)),
            asks: v.optional(v.array(v.strictObject({ text }))),
            says: v.optional(v.string()),
            lacks: v.optional(text),
            leaving: v.optional(text),
          }),
        ),
      ),
      dialogues: v.optional(
        v.array(
          v.strictObject({
            line: pattern,
            asks: v.array(v.strictObject({ text, key: v.optional(v.literal(true)) })),
            says: v.optional(text),
          }),
        ),
      ),
    }),
  ),
});
