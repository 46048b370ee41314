/** Messages for people: the words of each event as data, and the forms of Slack, Teams and mail gateways. */

import type { SentEvent, WebhookFormat, WebhookSpec } from "../api/webhook.ts";
import { shownLine } from "../base/text/terminal-text.ts";

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
  "disk.low": {
    title: "Disk nearly full on {name}",
    isBad: true,
    facts: [["State", "sentence"]],
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
}

/** What every form shows. */
interface Card {
  readonly title: string;
  readonly isBad: boolean;
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly link: string | undefined;
}

const mostChars = 600;

/** One line, of bounded length, without control characters. */
function plain(text: string): string {
  const line = shownLine(text.slice(0, mostChars + 1));
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1)}…`;
}

function cardOf({ event, values, isBad, page }: Told, link: string | undefined): Card {
  const { title, isBad: isAlwaysBad, facts } = wordings[event];
  return {
    title: plain(title.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "")),
    isBad: isBad ?? isAlwaysBad,
    facts: facts.flatMap(([label, name]) => (values[name] ? [[label, plain(values[name])] as const] : [])),
    link: page === undefined ? undefined : link,
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
  const card = cardOf(told, link);
  const { format } = spec;
  if (format !== "json") return JSON.stringify(forms[format](card, spec));
  return JSON.stringify({ ...head, summary: card.title, ...(link ? { link } : {}), ...told.data });
}

/** Slack reads `&`, `<` and `>` as markup, also for mentions and links: https://docs.slack.dev/messaging/formatting-message-text */
function forSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Incoming webhooks of Slack, and services that accept their form. Texts are `plain_text`, which has no formatting. */
function slackMessage({ title, isBad, facts, link }: Card): object {
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
      ...facts.map(([label, value]) => ({ type: "section", text: plainText(`${label}: ${value}`, 3_000) })),
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

/** An adaptive card, for the Teams workflow "Post to a channel when a webhook request is received". */
function teamsMessage({ title, isBad, facts, link }: Card): object {
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
    ],
    ...(link === undefined ? {} : { actions: [{ type: "Action.OpenUrl", title: "Open", url: link }] }),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

function forHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** `from`, `to`, `subject`, `text` and `html`, as the JSON interfaces of mail gateways take them. */
function mailMessage({ title, isBad, facts, link }: Card, { to, from }: WebhookSpec): object {
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${forHtml(label)}</th><td>${forHtml(value)}</td></tr>`,
  );
  const href = link === undefined ? "" : `<p><a href="${forHtml(link)}">${forHtml(link)}</a></p>`;
  return {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    subject: `[patchbay] ${isBad ? "Problem: " : ""}${title}`,
    text: [title, "", ...lines, ...(link === undefined ? [] : ["", link]), ""].join("\n"),
    html: `<p><strong>${forHtml(title)}</strong></p><table>${rows.join("")}</table>${href}`,
  };
}
