/** Whether the service accepts work, and if not, why: the reasons of /readyz, which needs no key. */
import { useEffect } from "preact/hooks";
import * as v from "valibot";
import { refusals } from "./api.ts";
import { shared } from "./shared.ts";

/** Empty while the service accepts work, and while it is unreachable. */
export const reasons = shared<readonly string[]>([]);

const everyMs = 10_000;
const notReady = v.object({ code: v.literal(-1), data: v.array(v.string()) });

/** Asks now, at intervals while the page is visible, and whenever the service has refused work. */
export function useStanding(): void {
  const refused = refusals.value;
  useEffect(() => {
    const unmounted = new AbortController();
    const check = () => {
      if (!document.hidden) void look(unmounted.signal);
    };
    check();
    const timer = setInterval(check, everyMs);
    document.addEventListener("visibilitychange", check);
    return () => {
      unmounted.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", check);
    };
  }, [refused]);
}

async function look(signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch("/readyz", { signal, cache: "no-store" });
    const answer = v.safeParse(notReady, response.ok ? null : await response.json());
    if (!signal.aborted) tell(answer.success ? answer.output.data : []);
  } catch {
    // Unreachable, or a proxy answered in its place: another message says so.
    if (!signal.aborted) tell([]);
  }
}

/** The same reasons are no news. */
function tell(now: readonly string[]): void {
  if (now.join("\n") !== reasons.value.join("\n")) reasons.value = now;
}
