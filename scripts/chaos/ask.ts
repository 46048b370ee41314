/** Requests to a node that may be killed at any moment. */
import * as v from "valibot";
import { apiKey, type ChaosNode } from "./node.ts";

const envelope = v.object({ code: v.number(), data: v.unknown() });

export async function must(node: ChaosNode, method: string, path: string, body?: object) {
  const answer = await ask(node, method, path, body);
  if (answer.status < 200 || answer.status > 299)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.data)}`);
  return answer;
}

/** With the key of an admin, unless a cookie says who asks. Status 0: the node did not answer. */
export async function ask(
  node: ChaosNode,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
) {
  try {
    const answer = await fetch(`${node.url}${path}`, {
      method,
      headers: {
        ...("Cookie" in headers ? {} : { "X-API-KEY": apiKey }),
        ...{ "Content-Type": "application/json", ...headers },
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
    const { data } = v.parse(envelope, await answer.json());
    return { status: answer.status, data };
  } catch {
    return { status: 0, data: undefined };
  }
}
