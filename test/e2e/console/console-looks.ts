/** How a page of the console is looked at: by width and colour, by axe, and as a screen reader reads it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

interface Look {
  readonly width: number;
  readonly dark: boolean;
}

const widths = [1280, 768, 360];

const require = createRequire(import.meta.url);
/** Smaller than what the package gives as text: it is sent to each page that is looked at. */
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/**
 * What follows three neighbours that are made alike: in what axe looks at it differs in its words only. Looking at
 * hundreds of such rows takes most of the time.
 */
const madeAlike = `(() => {
  const differs = /^(?:aria-(?:label|labelledby|describedby|controls)|datetime|for|href|id|title|value)$/;
  const madeOf = (one) =>
    one.nodeType === Node.TEXT_NODE
      ? one.data.trim() && "words"
      : one.nodeType === Node.ELEMENT_NODE
        ? [
            one.localName,
            ...[...one.attributes].map(({ name, value }) => name + (differs.test(name) ? !!value : value)),
            "(" + [...one.childNodes].map(madeOf) + ")",
          ].join(" ")
        : "";
  return [...document.querySelectorAll("main *")].flatMap(({ children }) => {
    if (children.length <= 3) return [];
    return [...Map.groupBy(children, madeOf).values()].flatMap((alike) => alike.slice(3));
  });
})()`;

/** What axe finds. @param rules only these; default: all */
export async function violations(page: Page, rules?: readonly string[]): Promise<unknown> {
  // A script of the test; the page's CSP would block a script tag. It stays until another page is opened.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
  const found = await page.evaluate<string>(
    `axe.run({ exclude: ${madeAlike} }, ${options}).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))`,
  );
  return JSON.parse(found);
}

/** What is wider than its box, and can be read by scrolling aside or not at all; but for what devices say. */
export const cut = `[...document.querySelectorAll("main *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
  .filter((one) => !one.matches(".hidden, thead, input, select, textarea, .terminal, .viewer, .editor *"))
  .map((one) => one.outerHTML.slice(0, 200))`;

/** What makes the page itself scroll aside. */
const wide = `document.documentElement.scrollWidth <= innerWidth ? [] : ["the page", ...[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().left + Math.max(one.scrollWidth, one.offsetWidth) > innerWidth + 1)
  .filter((one) => {
    for (let up = one.parentElement; up; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible") return false;
    return true;
  })
  .map((one) => one.outerHTML.slice(0, 200))]`;

export async function faultless(page: Page, look?: string): Promise<void> {
  expect(await violations(page), look).toEqual([]);
  expect(await page.evaluate(wide), look).toEqual([]);
  expect(await misread(page), look).toEqual([]);
}

/** What the page shows now, at each width, light and dark; it has the look of before again afterwards. */
export async function faultlessInEveryLook(page: Page, own: Look): Promise<void> {
  const show = async ({ width, dark }: Look) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  };
  for (const width of widths) {
    await show({ width, dark: false });
    await faultless(page, `${width}`);
    // Darkness changes colours only.
    await show({ width, dark: true });
    expect(await violations(page, ["color-contrast"]), `${width}, dark`).toEqual([]);
  }
  await show(own);
}

/** A part of what a screen reader is given. */
export interface Spoken {
  readonly role: string;
  readonly name: string;
  /** Of a heading. */
  readonly level: number;
  readonly id: string;
  readonly parent: string | undefined;
}

const named = new Set(
  [
    ["button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "listbox"],
    ["table", "region", "dialog", "alertdialog", "navigation", "image", "heading"],
  ].flat(),
);

/** The tree that Chromium gives to a screen reader, without what is ignored. */
export async function spokenOn(page: Page): Promise<readonly Spoken[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const parents = new Map(nodes.flatMap(({ nodeId, childIds = [] }) => childIds.map((id) => [id, nodeId])));
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ nodeId, role, name, properties = [] }) => ({
      role: String(role?.value ?? ""),
      name: String(name?.value ?? "").trim(),
      level: Number(properties.find((one) => one.name === "level")?.value.value ?? 0),
      id: nodeId,
      parent: parents.get(nodeId),
    }));
}

/** What somebody who only hears the page would miss: names, the order of headings, landmarks, heads of tables. */
async function misread(page: Page): Promise<readonly string[]> {
  const spoken = await spokenOn(page);
  const levels = spoken.filter(({ role }) => role === "heading").map(({ level }) => level);
  const count = (wanted: string) => spoken.filter(({ role }) => role === wanted).length;
  const byId = new Map(spoken.map((one) => [one.id, one]));
  const tables = new Set(
    spoken.flatMap((one) => {
      let up: Spoken | undefined = one;
      while (up && up.role !== "table") up = byId.get(up.parent ?? "");
      return one.role === "columnheader" && up ? [up.id] : [];
    }),
  );
  // An open dialog hides what is behind it.
  const hasFrame = count("dialog") === 0;
  return [
    ...spoken
      .filter(({ role, name }) => named.has(role) && name === "")
      .map(({ role }) => `a ${role} without a name`),
    ...(levels[0] === 1 && levels.filter((level) => level === 1).length === 1
      ? []
      : [`headings ${levels.join(" ")}`]),
    ...levels.flatMap((level, at) =>
      level > (levels[at - 1] ?? 0) + 1 ? [`heading ${level} at ${at} skips a level`] : [],
    ),
    ...["banner", "main", "navigation"].flatMap((role) =>
      hasFrame && count(role) !== 1 ? [`${count(role)} of ${role}`] : [],
    ),
    ...spoken.flatMap(({ role, id, name }) =>
      role === "table" && !tables.has(id) ? [`the table ${name} has no heads`] : [],
    ),
  ];
}

/** Notes from now on what regions say by themselves. @returns reads it */
export async function listened(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const live = "[role=status], [role=alert], [aria-live]";
    window.said = [];
    new MutationObserver((changes) => {
      const regions = new Set();
      for (const { target, addedNodes } of changes) {
        const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
        if (region) regions.add(region);
        for (const node of addedNodes)
          if (node.nodeType === 1)
            for (const one of [...(node.matches(live) ? [node] : []), ...node.querySelectorAll(live)])
              if (one.textContent) regions.add(one);
      }
      for (const region of regions) if (region.isConnected && region.textContent) said.push(region.textContent.trim());
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  }`);
  return () => page.evaluate<readonly string[]>("said");
}
