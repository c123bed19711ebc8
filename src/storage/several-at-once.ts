/** Runs a task for each item, several at a time, for tasks that mostly wait. */

/** No task begins after a rejection, and all running tasks have ended when this rejects. */
export async function severalAtOnce<T>(items: Iterable<T>, max: number, task: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  const runOneByOne = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      try {
        await task(item);
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(max, left.length) }, runOneByOne));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}
