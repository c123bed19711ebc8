/** A bucket within a bucket: every key of the tenant's begins with its name. */
import type { R2Bucket, R2Objects } from "../../../adapters/workerd/platform.ts";

export function bucketOf(bucket: R2Bucket, tenant: string): R2Bucket {
  const start = `${tenant}/`;
  const inside = (key: string): string => key.slice(start.length);
  return {
    get: (key) => bucket.get(start + key),
    put: (key, value) => bucket.put(start + key, value),
    delete: (key) => bucket.delete(start + key),
    async list({ prefix, ...options }): Promise<R2Objects> {
      const page = await bucket.list({ prefix: start + prefix, ...options });
      return {
        truncated: page.truncated,
        ...(page.cursor !== undefined && { cursor: page.cursor }),
        objects: page.objects.map(({ key, size }) => ({ key: inside(key), size })),
        delimitedPrefixes: page.delimitedPrefixes.map(inside),
      };
    },
  };
}
