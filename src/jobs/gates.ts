/** Gates of a change: their expressions and hosts are checked when it is written, and questions are asked. */
import { answerMs, type ChangeQuestion, gateLimits, questionMs } from "../api/changes/change-gates.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { taskReach } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { type Issue, refuseAny } from "../base/issues.ts";
import { createMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { secretsOfQuestion } from "../base/secrets/question-secrets.ts";
import { type Deadline, withDeadline } from "../base/time/deadline.ts";
import { expressionFault } from "../checks/expression.ts";
import type { Pool } from "../pool/port.ts";
import type { ChangeGates, GateAnswer, GateJobs } from "./port.ts";
import { shapeIssues } from "./request/check-shape.ts";
import { type ReachTools, requireReach, urlHosts } from "./request/device/request-reach.ts";

interface GateTools extends ReachTools {
  readonly pool: Pick<Pool, "run">;
}

const maxReason = 300;
const maxAnswer = 200;

export function createGates(tools: GateTools): GateJobs {
  const { pool } = tools;

  /** @returns the body, as JSON text of `{status, body}` */
  async function answerOf(question: ChangeQuestion, caller: Caller, deadline: Deadline): Promise<string> {
    const { url, method, headers, body } = question;
    const isJson = typeof body === "object" && body !== null;
    const task = {
      kind: "question" as const,
      url,
      method: method ?? (body ? ("POST" as const) : ("GET" as const)),
      headers: { ...(isJson ? { "Content-Type": "application/json" } : {}), ...headers },
      ...(body ? { body: isJson ? JSON.stringify(body) : body } : {}),
      timeoutMs: answerMs(question),
      maxBytes: gateLimits.answerBytes,
      reach: [
        ...taskReach(
          caller.hosts,
          urlHosts("url", url).map(({ host }) => host),
        ),
      ],
    };
    const answer = await pool.run(task, { deadline });
    if (answer.status >= 200 && answer.status <= 299) return answer.json;
    throw new ServiceError("BadRequest", `it was answered with ${answer.status}`);
  }

  return {
    async checkGates({ sentinels, questions }, caller) {
      refuseAny(await issuesOf({ sentinels, questions }));
      const urls = [
        ...questions.flatMap(({ url }, at) => urlHosts(`strategy.questions.${at}.url`, url)),
        ...sentinels.flatMap(({ checks }, at) =>
          checks.flatMap(({ parse }, of) =>
            urlHosts(`sentinels.${at}.checks.${of}.parse.template`, parse?.template),
          ),
        ),
      ];
      await requireReach(tools, caller, { hosts: [], urls, credential: undefined });
    },

    async askQuestion(question, caller, signal) {
      const late = () => new ServiceError("ReadTimeout", "it was not answered in time");
      const secrets = secretsOfQuestion(question);
      const said = (verdict: GateAnswer["verdict"], reason: string, of?: string): GateAnswer => {
        if (of === undefined) return { verdict, reason };
        const masker = createMasker([...secrets, ...secretsOfJson(of)]);
        return { verdict, reason: `${reason}: ${shortened(masker.text(of))}` };
      };
      const evaluate = async (deadline: Deadline) => {
        const json = await answerOf(question, caller, deadline);
        const task = { kind: "evaluate" as const, expression: question.expression, json };
        const share = { key: shareOf(caller), job: true };
        return { json, evaluated: await pool.run(task, { deadline, share }) };
      };
      try {
        const { json, evaluated } = await withDeadline(questionMs(question), late, signal, evaluate);
        if (evaluated.json === "true") return said("passed", "its expression is true");
        if (evaluated.json === "false") return said("failed", "its expression is false", json);
        return said("inconclusive", "its expression is neither true nor false", evaluated.json);
      } catch (error) {
        if (signal.aborted || !(error instanceof ServiceError)) throw error;
        return said("inconclusive", createMasker(secrets).text(error.message).slice(0, maxReason));
      }
    },
  };
}

const shortened = (text: string) => (text.length > maxAnswer ? `${text.slice(0, maxAnswer)}…` : text);

async function issuesOf({ sentinels, questions }: ChangeGates): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [at, { select, devices, checks }] of sentinels.entries()) {
    const path = `sentinels.${at}`;
    if (!select && !devices) issues.push({ path: `${path}.select`, message: "is required, or `devices`" });
    const found = await shapeIssues({ after: checks });
    issues.push(
      ...found.map((issue) => ({ ...issue, path: `${path}.${issue.path.replace(/^after/, "checks")}` })),
    );
  }
  for (const [at, { expression }] of questions.entries()) {
    const fault = await expressionFault(expression);
    if (fault !== undefined) issues.push({ path: `strategy.questions.${at}.expression`, message: fault });
  }
  return issues;
}
