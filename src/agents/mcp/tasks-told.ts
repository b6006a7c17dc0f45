import { isObject, type Params } from "./message.ts";
import type { Said } from "./results.ts";

/** Methods by which one side asks or tells about tasks. */
export const isOfTasks = (method: string): boolean => /^(notifications\/)?tasks(\/|$)/.test(method);

/** The id of the task that the answer to a call begins, if it begins one. */
export function taskBegunBy(answer: Said): string | undefined {
  if (answer.kind === "error") return undefined;
  const { task, resultType, taskId } = answer.result;
  const id = isObject(task) ? task.taskId : resultType === "task" ? taskId : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The ids of all tasks that a message tells of: it is one itself, has one as `task`, or a list of them. */
export const taskIdsIn = (body: Params): unknown[] =>
  [body, body.task, ...(Array.isArray(body.tasks) ? body.tasks : [])].filter(isObject).map(({ taskId }) => taskId);

/**
 * Asks `judge` about each task that a message tells of, under its own id, or else under that of the task around it. Resolves with
 * the message as it is to be; `undefined`: as it is.
 */
export async function judgeTasks(
  body: Params,
  id: unknown,
  judge: (task: Params, id: unknown) => Promise<Params | undefined>,
): Promise<Params | undefined> {
  const { task, tasks, ...rest } = body;
  const inner = isObject(task) ? task : undefined;
  const list = Array.isArray(tasks) && tasks.every(isObject) ? tasks : undefined;
  const own: Params = { ...rest, ...(inner ? {} : { task }), ...(list ? {} : { tasks }) };
  const ownId = own.taskId ?? id ?? inner?.taskId;
  const changed = {
    own: await judge(own, ownId),
    task: inner && (await judge(inner, inner.taskId ?? ownId)),
    tasks: [] as (Params | undefined)[],
  };
  for (const one of list ?? []) changed.tasks.push(await judge(one, one.taskId));
  if (!changed.own && !changed.task && !changed.tasks.some(Boolean)) return undefined;
  return {
    ...(changed.own ?? own),
    ...(inner && { task: changed.task ?? inner }),
    ...(list && { tasks: list.map((one, at) => changed.tasks[at] ?? one) }),
  };
}
