/** `patchbay webhook`: lists, shows, adds, tests and removes stored webhooks. */
import type { Command } from "commander";
import { webhookEventNames, webhookFormats, webhookTest } from "../../../api/webhooks/webhook.ts";
import { pause } from "../../../base/time/deadline.ts";
import { readInput } from "../../../client/input/input.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine, tableText } from "../../../client/output/table.ts";
import {
  type Delivery,
  deliveryText,
  storedWebhook,
  type Webhook,
  type WebhookFlags,
  webhookBody,
  webhookList,
} from "../../../client/rooms/webhooks.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime, submitterText } from "../jobs/jobs.ts";
import {
  clientCommand,
  type OneFlags,
  type Session,
  withApi,
  withJson,
  withServer,
} from "../parts/action.ts";
import {
  type Columns,
  type FormFlags,
  ofWriter,
  printList,
  type WriterFlag,
  withForms,
  withWriter,
} from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";

const columns: Columns<Webhook> = {
  name: ({ name }) => name,
  to: ({ receiver }) => receiver ?? "",
  format: ({ format }) => format ?? "",
  events: ({ events = [] }) => events.join(" "),
  state: ({ state }) => state,
  owner: ({ owner }) => submitterText(owner),
  last: ({ deliveries: [last] }) => (last === undefined ? "" : `${last.event} ${deliveryText(last)}`),
};
const deliveryColumns: Columns<Delivery> = {
  last: ({ attempts }) => clockTime(attempts.at(-1)?.at),
  event: ({ event }) => event,
  result: deliveryText,
};
const pathOf = (name: string, step = "") => `/webhook/${encodeURIComponent(name)}${step}`;
const firstLookMs = 50;
const maxLookMs = 1_000;
/** A failed attempt is repeated for minutes; a test reports the first one. */
const testMs = 150_000;

export function defineWebhook(parent: Command): void {
  const command = parent.command("webhook").description("other systems that are told what has happened");
  withForms(
    withWriter(withServer(clientCommand(command, "list", "list webhooks with their last delivery"))),
  ).action((flags: ServerFlags & FormFlags & WriterFlag) =>
    withApi(flags, async ({ api, terminal }) =>
      printList(await api.call("/webhook", webhookList, ofWriter(flags)), columns, flags, terminal),
    ),
  );
  withJson(clientCommand(command, "show <name>", "show a webhook with its latest deliveries")).action(
    (name: string, flags: OneFlags) => withApi(flags, (session) => show(name, flags, session)),
  );
  withJson(
    clientCommand(command, "add <name> [file]", "create a webhook, from flags or a file (YAML, JSON, -)"),
  )
    .option("--to <url>", "where it sends")
    .option("--event <event...>", `${webhookEventNames.join(", ")}; change.* stands for all that begin so`)
    .option("--format <format>", webhookFormats.join(", "))
    .option("--difference", "with the changed lines of a configuration")
    .option("--secret-file <file>", "file with the secret that signs messages")
    .option("--console-url <url>", "base of links in messages")
    .option("--mail-to <address>", "`to` of the format mail")
    .option("--mail-from <address>", "`from` of the format mail")
    .action((name: string, file: string | undefined, flags: OneFlags & WebhookFlags) =>
      withApi(flags, (session) => add(name, file, flags, session)),
    );
  withJson(clientCommand(command, "test <name>", "send a message, and say what became of it")).action(
    (name: string, flags: OneFlags) => withApi(flags, (session) => test(name, flags, session)),
  );
  defineRemoval(clientCommand(command, "remove <name>", "remove a webhook, after confirmation"), {
    path: pathOf,
  });
}

async function show(name: string, flags: OneFlags, { api, terminal }: Session): Promise<void> {
  await print(await api.call(pathOf(name), storedWebhook), flags, terminal);
}

async function add(
  name: string,
  file: string | undefined,
  flags: OneFlags & WebhookFlags,
  { api, terminal }: Session,
): Promise<void> {
  const { secretFile } = flags;
  const secret = secretFile === undefined ? undefined : readInput(secretFile).trimEnd();
  const body = webhookBody(name, file, flags, secret);
  await print(await api.call("/webhook", storedWebhook, { method: "POST", body }), flags, terminal);
}

/** Waits for the first attempt. */
async function test(name: string, flags: OneFlags, { api, terminal }: Session): Promise<number> {
  const asked = await api.call(pathOf(name, "/test"), webhookTest, { method: "POST" });
  const until = performance.now() + testMs;
  let delivery: Delivery | undefined;
  for (let lookMs = firstLookMs; performance.now() < until; lookMs = Math.min(maxLookMs, lookMs * 2)) {
    const { deliveries } = await api.call(pathOf(name), storedWebhook, { patient: true });
    delivery = deliveries.find(({ id }) => id === asked.delivery);
    if ((delivery?.attempts.length ?? 0) > 0) break;
    await pause(lookMs);
  }
  const attempt = delivery?.attempts.at(-1);
  if (flags.json === true) await terminal.write(`${jsonLine(delivery ?? asked)}\n`);
  else if (attempt === undefined) terminal.note("It has not been sent yet: earlier messages wait.");
  else
    terminal.note(attempt.error === undefined ? `Answered ${attempt.status}.` : `Failed: ${attempt.error}.`);
  return delivery?.state === "delivered" ? exitCodes.good : exitCodes.failed;
}

async function print(webhook: Webhook, flags: OneFlags, terminal: Session["terminal"]): Promise<void> {
  if (flags.json === true) return terminal.write(`${jsonLine(webhook)}\n`);
  const { name, receiver, signed, format, events = [], state, why, owner, deliveries } = webhook;
  await terminal.write(
    factsText([
      ["name", name],
      ["state", why === undefined ? state : `${state}: ${why}`],
      ["to", receiver ?? ""],
      ["signed", signed ? "yes" : "no"],
      ["format", format ?? ""],
      ["events", events.join("\n")],
      ["difference", webhook.difference === true ? "yes" : "no"],
      ["console", webhook.console_url ?? ""],
      ["mail", [webhook.from, webhook.to].filter((part) => part !== undefined).join(" to ")],
      ["owner", submitterText(owner)],
    ]),
  );
  if (deliveries.length === 0) return;
  const rows = deliveries.map((delivery) => Object.values(deliveryColumns).map((cell) => cell(delivery)));
  await terminal.write(`\n${tableText(Object.keys(deliveryColumns), rows, terminal.columns)}`);
}
