/** `patchbay audit`: lists the audit trail. */
import type { Command } from "commander";
import { idNamed } from "../../../client/input/ids.ts";
import { momentOf, readInteger, timeHint } from "../../../client/output/numbers.ts";
import { type AuditEntry, auditList } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime, submitterText } from "../jobs/jobs.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface AuditFlags extends ServerFlags, FormFlags {
  readonly who?: string;
  readonly action?: string;
  readonly host?: string;
  readonly device?: string;
  readonly bulk?: string;
  readonly job?: string;
  readonly ticket?: string;
  readonly submittedBy?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

const columns: Columns<AuditEntry> = {
  at: ({ at }) => clockTime(at),
  who: ({ who }) => who,
  from: ({ from }) => from ?? "",
  action: ({ action }) => action,
  host: ({ host }) => host ?? "",
  job: ({ job_id }) => job_id ?? "",
  outcome: ({ outcome }) => outcome,
  detail: ({ detail, submitted_by, ticket }) =>
    [
      detail ?? "",
      submitted_by && submitted_by.kind !== "key" ? `by ${submitterText(submitted_by)}` : "",
      ticket ?? "",
    ]
      .filter((text) => text !== "")
      .join(", "),
};

export function defineAudit(parent: Command): void {
  const command = clientCommand(
    parent,
    "audit",
    "list who did what, newest first; needs a key of scope admin",
  )
    .option("--who <key>", "of this key, by its name or id")
    .option("--action <action>", "an action such as key.add, or a kind of actions such as key")
    .option("--host <host>", "of one device, by its name or address")
    .option("--device <name>", "of one device of the inventory, by its name")
    .option("--bulk <id>", "of the jobs of one bulk")
    .option("--job <id>", "of one job")
    .option("--ticket <text>", "with this ticket number")
    .option(
      "--submitted-by <name>",
      "for jobs submitted by this key, person or schedule; also <kind>:<name>, or me: this key or its person",
    )
    .option("--since <time>", `at or after: ${timeHint}`)
    .option("--until <time>", "before, written likewise")
    .option("--limit <number>", "maximum number", "50");
  withForms(withServer(command)).action((flags: AuditFlags) =>
    runToExit((surroundings) => listAudit(flags, surroundings)),
  );
}

async function listAudit(flags: AuditFlags, surroundings: Surroundings): Promise<number> {
  const maxEntries = readInteger(flags.limit, "--limit", 1, 100_000);
  const { api, terminal } = openSession(flags, surroundings);
  const { who, action, host, device, bulk, job, ticket, submittedBy, since, until } = flags;
  const subject = {
    who,
    action,
    host,
    device,
    bulk_id: bulk && (await idNamed(api, "bulk", bulk)),
    job_id: job && (await idNamed(api, "job", job)),
    ticket,
    submitted_by: submittedBy,
  };
  const times = { since: momentOf(since), until: momentOf(until) };
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(500, maxEntries - entries.length);
    const query = { ...subject, ...times, limit, cursor };
    const page = await api.page("/audit", auditList, { query });
    entries.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== undefined && entries.length < maxEntries);
  await printList(entries, columns, flags, terminal);
  if (cursor !== undefined) terminal.note(`There are more: --limit ${maxEntries * 10}`);
  return 0;
}
