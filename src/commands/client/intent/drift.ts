/** `patchbay drift`: how configurations differ from what they should be. */
import type { Command } from "commander";
import { driftStates, intentLimits } from "../../../api/intent/intent.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { plural, readInteger } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine, jsonLines } from "../../../client/output/table.ts";
import { oneChange, pathOfChange } from "../../../client/rooms/changes.ts";
import { eachPage } from "../../../client/rooms/history.ts";
import {
  type Detail,
  detailList,
  type Line,
  line,
  type Row,
  row,
  type Summary,
  summary,
} from "../../../client/rooms/intent.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { show as showChange, untilStill } from "../changes/change.ts";
import { clientCommand, type Session, withApi, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface ScopeFlags extends ServerFlags {
  readonly select?: string;
  readonly intent?: string;
}
interface RunFlags extends ScopeFlags, ReportFlags {
  readonly wait?: boolean;
}
interface ReportFlags extends FormFlags {
  readonly markdown?: boolean;
}
interface ShowFlags extends ScopeFlags, ReportFlags {
  readonly section?: string;
  readonly state?: string;
}
interface FixFlags extends ServerFlags {
  readonly select?: string;
  readonly device?: readonly string[];
  readonly section?: readonly string[];
  readonly ticket?: string;
  readonly note?: string;
  readonly unproven?: boolean;
  readonly json?: boolean;
}

const signs: Readonly<Record<string, string>> = {
  compliant: "=",
  drifted: "!",
  unknown: "?",
  intent_error: "x",
};
const countOf = ({ missing, extra, differs, unverified }: Row["sections"][number]) =>
  [
    ...(missing > 0 ? [`${missing} missing`] : []),
    ...(extra > 0 ? [`${extra} extra`] : []),
    ...(differs > 0 ? [`${differs} differ`] : []),
    ...(unverified > 0 ? [`${unverified} not verified`] : []),
  ].join(", ");
const sectionsOf = ({ sections }: Row) =>
  sections
    .filter(({ state }) => state !== "compliant")
    .map((section) => {
      const counts = countOf(section);
      return `${section.name}${counts === "" ? "" : `: ${counts}`}`;
    })
    .join("; ");
const columns: Columns<Row> = {
  "": ({ state }) => signs[state] ?? "",
  device: ({ device }) => device,
  intent: ({ intent }) => intent,
  state: ({ state, needs_person }) => (needs_person ? `${state}, needs a person` : state),
  sections: sectionsOf,
  reason: ({ reason }) => reason ?? "",
};
const lineColumns: Columns<Line> = {
  devices: ({ devices }) => String(devices),
  intent: ({ intent, section }) => `${intent}/${section}`,
  kind: ({ kind }) => kind,
  line: ({ line }) => line,
  "first devices": ({ first_devices }) => first_devices.slice(0, 3).join(", "),
};
const mostRows = 100_000;

export function defineDrift(parent: Command): void {
  const group = parent.command("drift").description("how configurations differ from their intents");
  withReport(
    withScope(clientCommand(group, "run", "compare devices; 1 if something drifts, 4 if it is not known")),
  )
    .option("--no-wait", "do not wait for it")
    .action((flags: RunFlags) => withApi(flags, (session) => run(flags, session)));
  withReport(
    withScope(
      clientCommand(group, "show [device]", "list what drifts, or how one device differs; exits as `run`"),
    ),
  )
    .option("--section <name>", "only this section")
    .option("--state <state>", driftStates.join(", "))
    .action((device: string | undefined, flags: ShowFlags) =>
      withApi(flags, (session) =>
        device === undefined ? showAll(flags, session) : showDevice(device, flags, session),
      ),
    );
  withForms(withScope(clientCommand(group, "lines [text]", "list differences by the number of devices")))
    .option("--section <name>", "only this section")
    .option("--limit <count>", "at most so many", "50")
    .action((text: string | undefined, flags: ShowFlags & { readonly limit: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const found: Line[] = [];
        const most = readInteger(flags.limit, "--limit", 1, 10_000);
        await eachPage(api, "/drift/line", line, { ...queryOf(flags), text }, most, async (some) => {
          found.push(...some);
        });
        await printList(found, lineColumns, flags, terminal);
      }),
    );
  withServer(
    clientCommand(group, "fix <intent...>", "draft and plan a change that brings devices back to intents"),
  )
    .option("--select <selector>", "devices; default: all that drift")
    .option("--device <name...>", "these devices")
    .option("--section <name...>", "only these sections")
    .option("--ticket <text>", "of the change")
    .option("--note <text>", "why")
    .option("--unproven", "also lines that are not proven")
    .option("--json", "as JSON")
    .action((intents: readonly string[], flags: FixFlags) =>
      withApi(flags, (session) => fix(intents, flags, session)),
    );
}

function withScope(command: Command): Command {
  return withServer(command)
    .option("--select <selector>", "only these devices")
    .option("--intent <name>", "only this intent");
}

function withReport(command: Command): Command {
  return withForms(command).option("--markdown", "as Markdown, for a merge request");
}

const queryOf = ({ select, intent, section, state }: ShowFlags) => ({ select, intent, section, state });

async function run(flags: RunFlags, session: Session): Promise<number> {
  const { api, terminal } = session;
  const { select, intent } = flags;
  const body = { ...(select ? { select } : {}), ...(intent ? { intents: [intent] } : {}) };
  let now = await api.call("/drift/run", summary, { method: "POST", body });
  if (flags.wait === false) {
    terminal.note(`${plural(now.waiting, "device")} will be compared.`);
    return exitCodes.good;
  }
  while (now.waiting > 0) {
    terminal.note(`${plural(now.waiting, "device")} to be compared`);
    now = await api.call("/drift/summary", summary, { query: { select, intent, wait: 20 } });
  }
  return showAll(flags, session);
}

async function showAll(flags: ShowFlags, { api, terminal }: Session): Promise<number> {
  const { select, intent } = flags;
  const rows: Row[] = [];
  await eachPage(api, "/drift", row, queryOf(flags), mostRows, async (page) => {
    rows.push(...page.filter(({ state }) => flags.state !== undefined || state !== "compliant"));
  });
  const now = await api.call("/drift/summary", summary, { query: { select, intent } });
  if (flags.markdown === true) await terminal.write(shown(markdownOf(now, rows)));
  else {
    if (rows.length > 0 || flags.json === true || flags.csv === true)
      await printList(rows, columns, flags, terminal);
    terminal.note(sentenceOf(now));
  }
  return exitCodeOf(now);
}

const sentenceOf = ({ pairs, states, waiting }: Summary) =>
  `${plural(pairs, "comparison")}: ${driftStates
    .filter((state) => states[state] > 0)
    .map((state) => `${states[state]} ${state}`)
    .join(", ")}${waiting > 0 ? `; ${plural(waiting, "device")} still to be compared` : ""}.`;

/** Nothing passes that is not known to comply. */
function exitCodeOf({ states, waiting }: Summary): number {
  if (states.drifted + states.intent_error > 0) return exitCodes.failed;
  return states.unknown + waiting > 0 ? exitCodes.unknown : exitCodes.good;
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function markdownOf(now: Summary, rows: readonly Row[]): string {
  const table = rows.map(
    (one) =>
      `| ${cell(one.device)} | ${cell(one.intent)} | ${one.state} | ${cell(sectionsOf(one))} | ${cell(one.reason ?? "")} |`,
  );
  return [
    `**Drift:** ${sentenceOf(now)}`,
    "",
    ...(rows.length === 0
      ? []
      : ["| Device | Intent | State | Sections | Reason |", "|---|---|---|---|---|", ...table, ""]),
  ].join("\n");
}

async function showDevice(name: string, flags: ShowFlags, { api, terminal }: Session): Promise<number> {
  const path = `/drift/device/${encodeURIComponent(name)}`;
  const details = await api.call(path, detailList, { query: { intent: flags.intent } });
  if (flags.json === true) await terminal.write(jsonLines(details));
  else if (details.length === 0) terminal.note(`No intent is for ${name}.`);
  else await terminal.write(shown(details.map((one) => detailText(one, flags.markdown === true)).join("\n")));
  const states = details.map(({ state }) => state);
  if (states.some((state) => state === "drifted" || state === "intent_error")) return exitCodes.failed;
  return states.includes("unknown") ? exitCodes.unknown : exitCodes.good;
}

function detailText(detail: Detail, isMarkdown: boolean): string {
  const { device, intent, state, reason, sections, fix, why, needs_person } = detail;
  const fence = (text: string, words = "") =>
    text === "" ? [] : isMarkdown ? [`\`\`\`${words}`, text.trimEnd(), "```"] : [text.trimEnd()];
  const title = `${device}, ${intent}: ${state}${reason === null ? "" : ` (${reason})`}`;
  return [
    isMarkdown ? `### ${title}` : title,
    ...sections
      .filter(({ state }) => state !== "compliant")
      .flatMap((section) => [
        `${signs[section.state]} ${section.name}: ${section.state}${countOf(section) === "" ? "" : `, ${countOf(section)}`}`,
        ...fence(section.lines, "diff"),
      ]),
    ...(fix
      ? [
          `A fix would send (${fix.proven ? "proven" : "not proven"}):`,
          ...fence(fix.lines.join("\n")),
          ...(fix.twin === undefined ? [] : [fix.twin.message]),
          ...(fix.twin?.unknown ?? []).map(({ line, why }) => `Line ${line}: ${why}`),
          ...fix.risks.map((risk) => `Look at it first: ${risk}`),
        ]
      : why
        ? [`There are no lines that mend it: ${why}`]
        : []),
    ...(needs_person ? [`${intentLimits.rounds} fixes did not help: a person has to look.`] : []),
    "",
  ].join("\n");
}

async function fix(intents: readonly string[], flags: FixFlags, session: Session): Promise<number> {
  const { select, device, section, ticket, note, unproven } = flags;
  const given = { select, devices: device, sections: section, ticket, note, unproven };
  const body = {
    intents,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  const { id } = await session.api.call("/drift/fix", oneChange, { method: "POST", body });
  await session.api.call(pathOfChange(id, "/plan"), oneChange, { method: "POST" });
  const planned = await untilStill(id, session);
  if (flags.json === true) await session.terminal.write(`${jsonLine(planned)}\n`);
  else await showChange(planned, {}, session);
  return planned.hash === null ? exitCodes.failed : exitCodes.good;
}
