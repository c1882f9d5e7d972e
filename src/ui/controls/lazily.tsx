/** @file Components whose code is loaded when they are first drawn. */

import { lazy, Suspense, type ComponentType } from "react";

/** `height` keeps their room free until then. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>, height = "0") {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  return (props: P) => (
    <Suspense fallback={<div style={{ minHeight: height }} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
