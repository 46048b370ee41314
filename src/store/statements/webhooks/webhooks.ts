/** Stored webhooks in the database, and the notices that are still to be told to them. */
import { webhookLimits } from "../../../api/webhooks/webhook.ts";
import type { MakeId } from "../../id.ts";
import type { NewAuditEntry, StoredWebhook, WebhookDelivery, Webhooks } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, steadyNow } from "../../sql/notation.ts";
import { fieldsOf, number, type RowShape, rowShape, text, truth } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { deliveries, notices, webhooks } from "../../tables.ts";
import type { Condition } from "../jobs/idempotency.ts";
import { holderTerms } from "../jobs/listing.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";
import { attemptsIn } from "./deliveries.ts";

const owner = "webhooks.owner";
const webhookRow = rowShape(fieldsOf(webhooks, ...namesBut(webhooks)));
type WebhookRow = typeof webhookRow extends RowShape<infer T> ? T : never;
const changed = written(webhooks, ...namesBut(webhooks, "createdAt"));
const nameRow = rowShape(fieldsOf(webhooks, "name"));
const noticeRow = rowShape(fieldsOf(notices, ...namesBut(notices, "n")));
const deliveryRow = rowShape({
  webhook: text("its_webhook", "webhook"),
  ...fieldsOf(deliveries, "jobId", "event", "state", "attempts", "nextT"),
});
const message = written(deliveries, "jobId", "state", "receiver", "event", "hook", "webhook");
const failuresRow = rowShape({ failures: number("failures") });
const knownRow = rowShape({ known: truth("known", "exists (select 1 from meta where key = :key)") });

const exists = "exists (select 1 from webhooks where name = :name)";
const anyExists = "exists (select 1 from webhooks)";
const isOpen = "exists (select 1 from notices where id = :notice)";
const ended = "webhook = :webhook and webhook is not null and state in ('delivered', 'failed')";

/** For a bulk whose jobs have all failed at their submission. */
export function noticeOfBulk({ clock }: Database, bulkId: string, condition: Condition): Statement {
  return {
    sql: `insert into notices (id, kind, subject, at) select ${either("lower(hex(randomblob(16)))", "replace(gen_random_uuid()::text, '-', '')")}, 'bulk.ended', :bulk, :at
where ${anyExists} and not exists (select 1 from notices where kind = 'bulk.ended' and subject = :bulk)
${condition.sql}`,
    args: { bulk: bulkId, at: clock.wall(), ...condition.args },
  };
}

export function createWebhooks(database: Database, makeId: MakeId): Webhooks {
  const { cipher, clock } = database;

  function opened({ content, ...row }: WebhookRow): StoredWebhook {
    return {
      ...row,
      content: content === null ? undefined : cipher.tryOpen(content, placeOf(webhooks.content, row.name)),
    };
  }

  return {
    async put(webhook, isNew, by) {
      const { name } = webhook;
      const args = { name, most: webhookLimits.most };
      const room = `not ${exists} and (select count(*) from webhooks) < :most`;
      const may = isNew ? room : exists;
      const action = isNew ? "webhook.add" : "webhook.change";
      const entry: NewAuditEntry = { caller: by, action, outcome: isNew ? "added" : "changed", detail: name };
      const values = changed.values(cipher, { ...webhook, changedAt: clock.wall() });
      const before = { sql: `select ${nameRow.columns} from webhooks where name = :name`, args: { name } };
      const [was, , , is] = await database.write([
        before,
        addEntry(database, entry, { sql: may, args }),
        isNew
          ? {
              sql: `insert into webhooks (${changed.columns}, created_at)
select ${changed.parameters}, :changed_at where ${room}`,
              args: { ...args, ...values },
            }
          : {
              sql: `update webhooks set ${changed.assignments} where name = :name`,
              args: values,
            },
        {
          sql: `select ${nameRow.columns} from webhooks where name = :name and content = :content`,
          args: { name, content: values.content ?? null },
        },
      ]);
      if ((is?.rows.length ?? 0) > 0) return isNew ? "added" : "changed";
      if (!isNew) return "gone";
      return (was?.rows.length ?? 0) > 0 ? "taken" : "full";
    },

    async list(condition) {
      const terms = holderTerms(owner, condition);
      const where = ["true", ...terms.sql].join(" and ");
      const sql = `select ${webhookRow.columns} from webhooks where ${where} order by name`;
      return (await database.list(webhookRow, { sql, args: terms.args })).map(opened);
    },

    async find(name) {
      const sql = `select ${webhookRow.columns} from webhooks where name = :name`;
      return (await database.select(webhookRow, { sql, args: { name } })).map(opened)[0];
    },

    async remove(name, by) {
      const entry: NewAuditEntry = { caller: by, action: "webhook.remove", outcome: "removed", detail: name };
      const [, , removed] = await database.write([
        addEntry(database, entry, { sql: exists, args: { name } }),
        { sql: "delete from deliveries where webhook = :name and webhook is not null", args: { name } },
        { sql: `delete from webhooks where name = :name returning ${nameRow.columns}`, args: { name } },
        { sql: `delete from notices where not ${anyExists}`, args: {} },
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },

    async deliveriesOf(names, limit) {
      const rows = await database.list(deliveryRow, {
        sql: `select ${deliveryRow.columns} from (
  select *, row_number() over (partition by webhook order by ended_n desc) as place
  from deliveries indexed by deliveries_webhook
  where webhook in :names and webhook is not null) t1
where place <= :limit order by ended_n desc`,
        args: { names, limit },
      });
      const now = database.steady();
      const all = rows.map(({ jobId, webhook, event, state, attempts, nextT }) => {
        const nextInMs = state === "pending" && nextT !== null ? Math.max(0, nextT - now) : null;
        const delivery: WebhookDelivery = {
          ...{ id: jobId, event: event ?? "", state, nextInMs },
          attempts: attemptsIn(attempts),
        };
        return { webhook, delivery };
      });
      return new Map(
        names.map((name) => [
          name,
          all.flatMap(({ webhook, delivery }) => (webhook === name ? [delivery] : [])),
        ]),
      );
    },

    async test(name, by) {
      const id = makeId();
      const entry: NewAuditEntry = { caller: by, action: "webhook.test", outcome: "accepted", detail: name };
      await database.write([
        addEntry(database, entry, { sql: exists, args: { name } }),
        {
          sql: `insert into notices (id, kind, subject, at)
select :id, 'webhook.test', :name, :at where ${exists} and not exists (select 1 from notices where id = :id)`,
          args: { id, name, at: clock.wall() },
        },
      ]);
      return id;
    },

    async observe(kind, subject, sentence) {
      const args = { key: `${kind}:${subject}` };
      const isKnown = { sql: `select ${knownRow.columns}`, args };
      if (sentence === undefined) {
        await database.write([{ sql: "delete from meta where key = :key", args }]);
        return false;
      }
      const [, , known] = await database.write([
        {
          sql: `insert into notices (id, kind, subject, at, detail) select :id, :kind, :subject, :at, :detail
where ${anyExists} and not exists (select 1 from meta where key = :key)`,
          args: { ...args, id: makeId(), kind, subject, at: clock.wall(), detail: sentence },
        },
        {
          sql: `insert into meta (key, value) select :key, 'true' where ${anyExists} on conflict do nothing`,
          args,
        },
        isKnown,
      ]);
      return knownRow.read(known)[0]?.known ?? false;
    },

    async noteBreakGlass(entry, pushedTo) {
      const values = {
        id: makeId(),
        subject: entry.caller.name,
        at: clock.wall(),
        detail: entry.detail ?? null,
      };
      const kind = pushedTo === undefined ? "breakglass.use" : "breakglass.push";
      await database.write([
        ledgerEntry(database, kind, entry.caller, { device: pushedTo, detail: entry.detail ?? undefined }),
        addEntry(database, entry, {
          sql: "not exists (select 1 from notices where id = :id)",
          args: { id: values.id },
        }),
        {
          sql: `insert into notices (id, kind, subject, at, detail)
select :id, 'break_glass.used', :subject, :at, :detail where ${anyExists} on conflict do nothing`,
          args: values,
        },
      ]);
    },

    notices: (limit, kinds) =>
      database.page(noticeRow, limit, (most) => ({
        sql: `select ${noticeRow.columns} from notices ${
          kinds === undefined ? "" : "where kind in :kinds"
        } order by n limit :most`,
        args: { most, ...(kinds === undefined ? {} : { kinds }) },
      })),

    async failuresOf(scheduleId) {
      const [row] = await database.select(failuresRow, {
        sql: `select ${failuresRow.columns} from schedules where id = :id`,
        args: { id: scheduleId },
      });
      return row?.failures ?? 0;
    },

    async tell(notice, messages, { failures, notices: others = [] } = {}) {
      const { waiting, kept } = webhookLimits;
      await database.write([
        ...messages.flatMap(({ id, webhook, receiver, event, content }): Statement[] => [
          {
            sql: `insert into deliveries (${message.columns}, ended_n, next_t)
select ${message.parameters}, (select coalesce(max(ended_n), 0) + 1 from deliveries), ${steadyNow}
where ${isOpen} and exists (select 1 from webhooks where name = :webhook)
  and (select count(*) from deliveries where webhook = :webhook and webhook is not null and state = 'pending')
    < :waiting
on conflict (job_id) do nothing`,
            args: {
              ...message.values(cipher, {
                jobId: id,
                state: "pending",
                receiver,
                event,
                hook: content,
                webhook,
              }),
              ...{ notice, waiting },
            },
          },
          {
            sql: `delete from deliveries where ${ended} and job_id not in (
  select job_id from deliveries where ${ended} order by ended_n desc limit :kept)`,
            args: { webhook, kept },
          },
        ]),
        ...(failures === undefined
          ? []
          : [
              {
                sql: `update schedules set failures = :count where id = :schedule and ${isOpen}`,
                args: { count: failures.count, schedule: failures.scheduleId, notice },
              },
            ]),
        {
          sql: `delete from notices where id in :told and ${isOpen}`,
          args: { notice, told: [notice, ...others] },
        },
      ]);
    },
  };
}
