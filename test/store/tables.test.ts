/** Tables state their columns once; what is stored already depends on some of it. */
import { getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { createCipher } from "../../src/store/cipher.ts";
import { written } from "../../src/store/sql/written.ts";
import { placeOf, sealingIn } from "../../src/store/tables/columns.ts";
import { allTables, idempotency, jobs, schedules, webhooks } from "../../src/store/tables.ts";
import { masterKey } from "../support/node.ts";

test("sealed values stay where they were sealed: another place would not open what is stored", () => {
  const places = allTables.flatMap((table) =>
    getTableConfig(table).columns.flatMap((column) => {
      const sealing = sealingIn(column);
      if (sealing === undefined) return [];
      const { table: sealedTable, field, row } = sealing.place("x");
      return [`${getTableName(table)}.${column.name}: ${sealedTable}.${field} of ${sealing.row} ${row}`];
    }),
  );
  expect(places.sort()).toEqual([
    "audit.asked: audit.asked of job_id x",
    "bulks.kept: bulks.kept of id x",
    "bulks.note: bulks.note of id x",
    "change_texts.lines: change_texts.lines of change_id || '/' || sha256 x",
    "changes.request: changes.request of id x",
    "config_marks.mark: config_marks.mark of id x",
    "config_texts.secrets: config_texts.secrets of id x",
    "credentials.secret: credentials.secret of source || '/' || ref x",
    "deliveries.hook: deliveries.hook of job_id x",
    "detached_tasks.asked: detached_tasks.asked of id x",
    "detached_tasks.payload: detached_tasks.payload of id x",
    "device_facts.facts: device_facts.facts of name x",
    "firings.request: schedules.request of schedule_id x",
    "hooks.secret: hooks.secret of id x",
    "hooks.spec: hooks.spec of id x",
    "idempotency.answer: idempotency.answer of caller || '/' || key x",
    "intents.own: intents.own of name x",
    "inventory_devices.own: inventory_devices.own of name x",
    "inventory_groups.own: inventory_groups.own of name x",
    "jobs.asked: jobs.asked of id x",
    "jobs.kept: jobs.kept of id x",
    "jobs.payload: jobs.payload of id x",
    "jobs.request: jobs.request of id x",
    "jobs.result: jobs.result of id x",
    "jobs.retry_payload: jobs.retry_payload of id x",
    "jobs.sent: jobs.sent of id x",
    "ledger_keys.secret: ledger_keys.secret of id x",
    "login_sessions.id_token: login_sessions.id_token of session_id x",
    "recipe_runs.request: recipe_runs.request of id x",
    "recipe_runs.steps: recipe_runs.steps of id x",
    "recipes.document: recipes.document of name || '/' || version x",
    "recipes.listed: recipes.listed of name || '/' || version x",
    "schedules.request: schedules.request of id x",
    "sendings.lines: jobs.sent of job_id x",
    "templates.document: templates.document of name || '/' || version x",
    "templates.listed: templates.listed of name || '/' || version x",
    "transcripts.content: transcripts.content of job_id x",
    "webhooks.content: webhooks.content of name x",
  ]);
  expect(placeOf(idempotency.answer, "k1", "a")).toEqual({
    table: "idempotency",
    row: "k1/a",
    field: "answer",
  });
  expect(() => placeOf(jobs.host, "x")).toThrow("not sealed");
});

test("a row to be written is sealed for itself, and says null for what is not given", () => {
  const cipher = createCipher(masterKey);
  const webhook = written(webhooks, "name", "limited", "spec", "content");
  expect(webhook.columns).toBe("name, limited, spec, content");
  expect(webhook.parameters).toBe(":name, :limited, :spec, :content");
  expect(webhook.assignments).toBe("limited = :limited, spec = :spec, content = :content");
  const values = webhook.values(cipher, { name: "a", limited: true, spec: "{}", content: "secret" });
  expect({ ...values, content: undefined }).toEqual({
    name: "a",
    limited: true,
    spec: "{}",
    content: undefined,
  });
  const { content } = values;
  if (!(content instanceof Uint8Array)) throw new Error("the content is not sealed");
  expect(cipher.open(content, placeOf(webhooks.content, "a"))).toBe("secret");
  expect(cipher.tryOpen(content, placeOf(webhooks.content, "b"))).toBeUndefined();
  expect(written(schedules, "id", "why", "request").values(cipher, { id: "s" })).toEqual({
    id: "s",
    why: null,
    request: null,
  });
});
