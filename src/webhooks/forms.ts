/** Messages for people: the words of each event as data, and the forms of Slack, Teams and mail gateways. */

import {
  type SentEvent,
  type WebhookFormat,
  type WebhookSpec,
  webhookLimits,
} from "../api/webhooks/webhook.ts";
import { cutPoint } from "../base/json/json-pieces.ts";
import { escapeHtml } from "../base/text/markup.ts";
import { shown, shownLine } from "../base/text/terminal-text.ts";

/** Texts by name; those of devices and callers are unchanged. Empty ones are left out. */
export type Values = Readonly<Record<string, string>>;

interface Wording {
  /** `{name}` stands for a value. */
  readonly title: string;
  readonly isBad: boolean;
  /** Labels with the names of their values. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

const ofSchedule = [
  ["Reason", "reason"],
  ["Bulk", "bulk"],
  ["Failed in a row", "failures"],
  ["Due", "due"],
] as const;

const ofConfiguration = [
  ["Reason", "reason"],
  ["Devices", "devices"],
  ["Version", "version"],
  ["Read because of", "source"],
  ["By", "who"],
  ["On the device by", "onDevice"],
  ["Error", "error"],
  ["Last read well", "lastGood"],
  ["Push", "push"],
  ["Job", "job"],
] as const;

const ofDrift = [
  ["Reason", "reason"],
  ["Sections", "sections"],
  ["Devices", "devices"],
  ["Intents", "intents"],
  ["Version", "version"],
  ["Since", "since"],
  ["Fixes that did not help", "rounds"],
] as const;

const ofChange = [
  ["Reason", "reason"],
  ["Wave", "wave"],
  ["Devices", "devices"],
  ["Devices of each wave", "waves"],
  ["Votes", "votes"],
  ["Author", "by"],
  ["Ticket", "ticket"],
  ["By", "who"],
] as const;
const change = (title: string, isBad = false): Wording => ({ title, isBad, facts: ofChange });

const wordings: Readonly<Record<SentEvent, Wording>> = {
  "bulk.ended": {
    title: "Bulk {name}: {outcome}",
    isBad: false,
    facts: [
      ["Work", "work"],
      ["Errors", "errors"],
      ["First failures", "failures"],
      ["Submitted by", "by"],
      ["Ticket", "ticket"],
      ["Stopped", "stopped"],
    ],
  },
  "schedule.failed": { title: "Schedule {name} failed", isBad: true, facts: ofSchedule },
  "schedule.recovered": { title: "Schedule {name} works again", isBad: false, facts: ofSchedule },
  "history.changed": { title: "{what}", isBad: false, facts: ofConfiguration },
  "history.suspect": { title: "{what}", isBad: true, facts: ofConfiguration },
  "history.failed": { title: "{what}", isBad: true, facts: ofConfiguration },
  "drift.found": { title: "{what}", isBad: true, facts: ofDrift },
  "drift.gone": { title: "{what}", isBad: false, facts: ofDrift },
  "drift.unknown": { title: "{what}", isBad: true, facts: ofDrift },
  "drift.needs_person": { title: "{what}", isBad: true, facts: ofDrift },
  "change.waiting_approval": change("Vote wanted: change {name}"),
  "change.approved": change("Change {name} is approved"),
  "change.rejected": change("Change {name} is rejected", true),
  "change.expired": change("The plan of the change {name} has expired", true),
  "change.cancelled": change("Change {name} is cancelled"),
  "change.started": change("Change {name} has started"),
  "change.wave": change("Change {name}: wave {wave} begins"),
  "change.paused": change("Change {name} is paused", true),
  "change.resumed": change("Change {name} goes on"),
  "change.stopping": change("Change {name} stops", true),
  "change.stopped": change("Change {name} has stopped: its devices keep what they have", true),
  "change.returning": change("Change {name}: its devices get back what they had", true),
  "change.returned": change("Change {name}: its devices have what they had"),
  "change.partly_returned": change("Change {name}: some devices were not returned", true),
  "change.needs_person": change("Change {name} needs a person", true),
  "change.done": change("Change {name} is done"),
  "recipe.proposed": {
    title: "Decision wanted: {by} proposes a run of the recipe {name}",
    isBad: false,
    facts: [
      ["Ticket", "ticket"],
      ["Until", "until"],
    ],
  },
  "disk.low": {
    title: "Disk nearly full on {name}",
    isBad: true,
    facts: [["State", "sentence"]],
  },
  "ledger.checkpoint": {
    title: "Checkpoint of the ledger: entry {seq}",
    isBad: false,
    facts: [
      ["Installation", "installation"],
      ["Entries", "counts"],
      ["Hash", "hash"],
      ["Signature", "signature"],
    ],
  },
  "break_glass.used": {
    title: "The key for emergencies is in use: {name}",
    isBad: true,
    facts: [["What", "what"]],
  },
  "webhook.test": { title: "Test of the webhook {name}", isBad: false, facts: [] },
};

export interface Told {
  readonly event: SentEvent;
  readonly values: Values;
  /** Something failed, although the event itself is neither good nor bad. */
  readonly isBad?: boolean;
  /** The message in the format `json`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Page of the console: `bulk/<id>`. */
  readonly page?: string;
  /** Changed lines, in messages of webhooks that want them. */
  readonly difference?: string | undefined;
}

/** What every form shows. */
interface Card {
  readonly title: string;
  readonly isBad: boolean;
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly link: string | undefined;
  /** Lines; empty: none. */
  readonly difference: string;
}

const mostChars = 600;

/** One line, of bounded length, without control characters. */
function plain(text: string): string {
  const line = shownLine(text.slice(0, mostChars + 1));
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1)}…`;
}

/** At the end of a line, if there is one in the last quarter. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const line = text.lastIndexOf("\n", most);
  const end = line > most * 0.75 ? line + 1 : cutPoint(text, most);
  return `${text.slice(0, end)}${end === line + 1 ? "" : "\n"}[${text.length - end} more characters]\n`;
}

function cardOf(
  { event, values, isBad, page, difference = "" }: Told,
  link: string | undefined,
  { difference: isWanted }: WebhookSpec,
): Card {
  const { title, isBad: isAlwaysBad, facts } = wordings[event];
  return {
    title: plain(title.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "")),
    isBad: isBad ?? isAlwaysBad,
    facts: facts.flatMap(([label, name]) => (values[name] ? [[label, plain(values[name])] as const] : [])),
    link: page === undefined ? undefined : link,
    difference: isWanted ? cut(shown(difference), webhookLimits.differenceChars) : "",
  };
}

const forms: Readonly<Record<Exclude<WebhookFormat, "json">, (card: Card, spec: WebhookSpec) => object>> = {
  slack: slackMessage,
  teams: teamsMessage,
  mail: mailMessage,
};

/** @param head members that every message in the format `json` has */
export function messageText(told: Told, spec: WebhookSpec, head: Readonly<Record<string, unknown>>): string {
  const base = spec.console_url?.replace(/\/+$/, "");
  const link = base === undefined || told.page === undefined ? undefined : `${base}/#/${told.page}`;
  const card = cardOf(told, link, spec);
  const { format } = spec;
  if (format !== "json") return JSON.stringify(forms[format](card, spec));
  const difference = card.difference === "" ? {} : { difference: card.difference };
  return JSON.stringify({
    ...{ ...head, summary: card.title },
    ...(link ? { link } : {}),
    ...told.data,
    ...difference,
  });
}

/** Slack reads `&`, `<` and `>` as markup, also for mentions and links: https://docs.slack.dev/messaging/formatting-message-text */
function forSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Characters of one text in a block. */
const slackChars = 3_000;

/** In blocks that have no formatting either. */
function slackLines(difference: string): object[] {
  const blocks: object[] = [];
  for (let at = 0; at < difference.length; ) {
    const line = difference.lastIndexOf("\n", at + slackChars - 1);
    const end =
      at + slackChars >= difference.length
        ? difference.length
        : line > at
          ? line + 1
          : cutPoint(difference, at + slackChars - 1);
    const element = { type: "text", text: difference.slice(at, end) };
    blocks.push({
      type: "rich_text",
      elements: [{ type: "rich_text_preformatted", elements: [element] }],
    });
    at = end;
  }
  return blocks;
}

/** Incoming webhooks of Slack, and services that accept their form. Texts are `plain_text`, which has no formatting. */
function slackMessage({ title, isBad, facts, link, difference }: Card): object {
  const text = `${isBad ? "Problem: " : ""}${title}`;
  const plainText = (content: string, most: number) => ({
    type: "plain_text",
    text: content.slice(0, most),
    emoji: false,
  });
  return {
    // Shown by notifications, and read as markup.
    text: forSlack(text),
    blocks: [
      { type: "header", text: plainText(text, 150) },
      ...facts.map(([label, value]) => ({
        type: "section",
        text: plainText(`${label}: ${value}`, slackChars),
      })),
      ...slackLines(difference),
      ...(link === undefined
        ? []
        : [
            {
              type: "actions",
              elements: [{ type: "button", text: plainText("Open", 75), url: link }],
            },
          ]),
    ],
  };
}

/** Adaptive Cards read a part of Markdown. A backslash before a punctuation mark shows the mark. */
function forCards(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!~|<>&]/g, "\\$&");
}

/** Teams refuses messages above 28 KB: https://learn.microsoft.com/microsoftteams/limits-specifications-teams */
const teamsBytes = 18_000;

/** A block of code has no formatting; clients without it point to the console. */
function teamsLines(difference: string): object[] {
  if (difference === "") return [];
  let text = difference;
  for (let bytes = jsonBytes(text); bytes > teamsBytes; bytes = jsonBytes(text))
    text = cut(difference, Math.floor((text.length * teamsBytes * 0.95) / bytes));
  const fallback = { type: "TextBlock", text: "This client does not show the changed lines.", wrap: true };
  return [{ type: "CodeBlock", language: "PlainText", codeSnippet: text, fallback }];
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));

/** An adaptive card, for the Teams workflow "Post to a channel when a webhook request is received". */
function teamsMessage({ title, isBad, facts, link, difference }: Card): object {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      {
        type: "TextBlock",
        text: forCards(`${isBad ? "Problem: " : ""}${title}`),
        weight: "Bolder",
        size: "Medium",
        color: isBad ? "Attention" : "Good",
        wrap: true,
      },
      ...(facts.length === 0
        ? []
        : [
            {
              type: "FactSet",
              facts: facts.map(([label, value]) => ({ title: label, value: forCards(value) })),
            },
          ]),
      ...teamsLines(difference),
    ],
    ...(link === undefined ? {} : { actions: [{ type: "Action.OpenUrl", title: "Open", url: link }] }),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

/** `from`, `to`, `subject`, `text` and `html`, as the JSON interfaces of mail gateways take them. */
function mailMessage({ title, isBad, facts, link, difference }: Card, { to, from }: WebhookSpec): object {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const changed = difference === "" ? "" : `<pre>${escapeHtml(difference)}</pre>`;
  const href = link === undefined ? "" : `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`;
  return {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    subject: `[patchbay] ${isBad ? "Problem: " : ""}${title}`,
    text: [
      ...[title, "", ...lines],
      ...(difference === "" ? [] : ["", difference.trimEnd()]),
      ...(link === undefined ? [] : ["", link]),
      "",
    ].join("\n"),
    html: `<p><strong>${escapeHtml(title)}</strong></p><table>${rows.join("")}</table>${changed}${href}`,
  };
}
