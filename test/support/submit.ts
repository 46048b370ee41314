/** Submits like a good client: retries with the same key if a busy store did not accept it in time. */
import { randomUUID } from "node:crypto";
import { pause } from "../../src/base/time/deadline.ts";
import type { startService } from "../../src/testkit/service.ts";

type Service = Awaited<ReturnType<typeof startService>>;

/** @param more headers, such as those of another key */
export async function submitTo(service: Service, body: object, more: Record<string, string> = {}) {
  const headers = { "Idempotency-Key": randomUUID(), ...more };
  for (;;) {
    const answer = await service.call<{ id: string }>("POST", "/device/execute", body, headers);
    if (answer.status !== 503) return answer;
    await pause(100);
  }
}
