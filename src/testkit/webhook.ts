/**
 * Test suite for webhooks: delivery, rejection, a receiver that hangs, secrets. The service must be allowed to reach
 * 127.0.0.1.
 */
import { strict as assert } from "node:assert";
import type { JobRecord } from "../api/jobs/job.ts";
import type { WebhookPlugin } from "../plugin/webhook.ts";
import { type Case, shown, until } from "./case.ts";
import { assertNoSecret, assertNoSecretKept } from "./leaks.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import type { Service } from "./service.ts";

export interface WebhookSuiteOptions {
  readonly plugin: WebhookPlugin;
  service(): Service;
  /** `options.webhook` for a receiver at this address. */
  options(url: string): object;
  /** An operation, as for `POST /device/execute`, whose end triggers the webhook. */
  job(): object;
  /** Secrets in `options` that must not leak. */
  readonly secrets: readonly string[];
}

export function webhookSuite({ plugin, service, options, job, secrets }: WebhookSuiteOptions): Case[] {
  async function withReceiver(
    status: number | "hangs",
    work: (receiver: Receiver, ended: JobRecord) => Promise<JobRecord>,
  ): Promise<void> {
    const receiver = await startReceiver(status);
    try {
      const ended = await service().run({ ...job(), options: { webhook: options(receiver.url) } });
      const outcome = await work(receiver, ended);
      assertNoSecret("a job", JSON.stringify(outcome), secrets);
      assert.equal(outcome.status, ended.status, "a delivery has changed its job");
    } finally {
      receiver.close();
    }
  }

  async function after(id: string, holds: (record: JobRecord) => boolean): Promise<JobRecord> {
    let record = await service().job(id);
    await until(async () => {
      record = await service().job(id);
      return holds(record);
    });
    return record;
  }

  const tried = ({ webhook }: JobRecord) => (webhook?.attempts.length ?? 0) > 0;

  /** After one failed attempt: it is recorded, and another one is due or none is left. */
  async function fails(record: JobRecord, status: number | null): Promise<void> {
    const { webhook } = record;
    assert.equal(webhook?.attempts[0]?.status ?? null, status, shown(webhook));
    assert.ok(webhook?.attempts[0]?.error, `the record has no reason: ${shown(webhook)}`);
    if (webhook?.status === "pending") assert.ok(webhook.next_attempt_at, shown(webhook));
    else assert.equal(webhook?.status, "failed", shown(webhook));
  }

  return [
    {
      name: "an ended job is delivered once",
      run: () =>
        withReceiver(204, async (receiver, { id }) => {
          await receiver.got(1);
          const record = await after(id, ({ webhook }) => webhook?.status === "delivered");
          assert.equal(receiver.received.length, 1);
          assert.notEqual(receiver.received[0]?.body, "");
          return record;
        }),
    },
    {
      name: "a receiver that rejects a delivery is recorded, and the delivery retried",
      run: () =>
        withReceiver(503, async (receiver, { id }) => {
          await receiver.got(1);
          const record = await after(id, tried);
          await fails(record, 503);
          return record;
        }),
    },
    {
      name: "a receiver that never answers fails the attempt at its timeout",
      run: () =>
        withReceiver("hangs", async (receiver, { id }) => {
          await receiver.got(1);
          const record = await after(id, tried);
          await fails(record, null);
          return record;
        }),
    },
    {
      name: `no secret of ${plugin.name} is stored`,
      run: async () => assertNoSecretKept(service(), secrets),
    },
  ];
}
