/**
 * Debian's Chromium, controlled like a user would; records console errors and requests to other hosts. Without a
 * window of its own: it starts in a quarter of the CPU time that Chromium with its hidden window takes.
 */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Opens pages; closing it ends those. */
export type Pages = Pick<Browser, "newContext" | "close">;

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts. */
  readonly complaints: string[];
  /** URLs on other hosts that a page requested. */
  readonly foreign: string[];
  close(): Promise<void>;
}

const flags = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: flags,
    timeout: 120_000,
  });
}

let running: Promise<Browser> | undefined;

/** The browser of this process, which test files share; another one if it has died. It ends with the process. */
export async function openBrowser(): Promise<Pages> {
  const before = await running?.catch(() => undefined);
  if (before?.isConnected() !== true) running = startBrowser();
  const browser = await (running ?? startBrowser());
  const contexts: BrowserContext[] = [];
  return {
    async newContext(options) {
      // A pulse would have every frame of it drawn, in software.
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      contexts.push(context);
      return context;
    },
    async close() {
      await Promise.allSettled(contexts.map((context) => context.close()));
    },
  };
}

export async function visit(
  browser: Pick<Pages, "newContext">,
  url: string,
  look: { readonly width?: number; readonly dark?: boolean; readonly anyCertificate?: boolean } = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1280, height: 800 },
    ignoreHTTPSErrors: look.anyCertificate === true,
    colorScheme: look.dark === true ? "dark" : "light",
  });
  // Long enough for a busy machine.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    const { url: from } = message.location();
    // On a busy machine a service is not ready for a moment, which it answers with 503. Which pages say so:
    // console-standing.test.ts. Any other fault of that request counts.
    const isNotReady = new URL(from || url).pathname === "/readyz" && / status of 503 /.test(message.text());
    if (!isNotReady) complaints.push(`${message.text()} (${from})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith("http") && asked.origin !== new URL(url).origin) foreign.push(asked.href);
  });
  await page.goto(url);
  return { page, context, complaints, foreign, close: () => context.close() };
}

export async function logIn({ page }: Pick<Visitor, "page">, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation").waitFor();
}
