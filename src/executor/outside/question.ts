/** Asks an HTTP server for a change: one request, without redirects. */
import type { Context, HttpKit } from "../../plugin/index.ts";
import type { QuestionTask, TaskValues } from "../../protocol/task.ts";

export async function askQuestion(
  { url, method, headers, body, timeoutMs, maxBytes }: QuestionTask,
  http: HttpKit,
  ctx: Context,
): Promise<TaskValues["question"]> {
  const request = { method, headers: { "User-Agent": "patchbay", ...headers }, body, timeoutMs, maxBytes };
  const answer = await http.request(url, request, ctx);
  const { status } = answer;
  const json = isJson(answer.body) ? answer.body : JSON.stringify(answer.body);
  return { status, json: `{"status":${status},"body":${json}}` };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
