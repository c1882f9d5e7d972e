/** @file Reverse-mode differentiation: one walk backwards, which sums broadcast gradients back and checks shapes. */

import { assert } from "../../lib/assert.ts";
import type { GraphBuilder } from "../build.ts";
import { ARITHMETIC, outputsOf, showShape, type Node, type Op, type Tensor } from "../ir.ts";
import { single, vjps, wholeGradient, type Vjp } from "./vjps.ts";

/**
 * Gradients of the sum of `loss` with respect to `targets`, each of its target's shape, under "/grad". @throws if a target
 * does not influence the loss through differentiable operators
 */
export function gradients(b: GraphBuilder, loss: Tensor, targets: readonly Tensor[]): Tensor[] {
  const forward = [...b.nodes];
  const onPath = dependents(forward, targets);
  const cotangents = new Map<Tensor, Tensor>([[loss, single(b, 1, loss)]]);
  for (const node of forward.toReversed()) {
    const g = outputsOf(node)
      .map((t) => cotangents.get(t))
      .find((found) => found);
    if (g && onPath.has(node.output))
      b.at(`${node.name}/grad`, () => propagate(b, node, g, onPath, cotangents));
  }
  return targets.map((target) => {
    const g = cotangents.get(target);
    if (!g)
      throw new Error(
        `graph ${b.name}: ${loss.name} does not depend on ${target.name} through differentiable operators`,
      );
    return b.at(`${target.name}/grad`, () => wholeGradient(b, g, target));
  });
}

function dependents(forward: readonly Node[], targets: readonly Tensor[]): ReadonlySet<Tensor> {
  const reached = new Set<Tensor>(targets);
  for (const node of forward)
    if (vjps[node.op] !== "nondifferentiable" && node.inputs.some((t) => reached.has(t)))
      for (const t of outputsOf(node)) reached.add(t);
  return reached;
}

function propagate(
  b: GraphBuilder,
  node: Node,
  g: Tensor,
  onPath: ReadonlySet<Tensor>,
  cotangents: Map<Tensor, Tensor>,
): void {
  const rule = vjps[node.op] as Vjp<unknown> | "nondifferentiable" | "refused";
  if (rule === "nondifferentiable") return;
  assert(
    rule !== "refused",
    () => `graph: ${node.name}: ${node.op} has no gradient; build the graph without fused operators`,
  );
  let expanded: Tensor | undefined;
  const whole = () => (expanded ??= wholeGradient(b, g, node.output));
  const { inputs: x, output: y, attributes, name: at } = node;
  const rules = rule({ b, at, g, y, x, attributes, whole });
  assert(rules.length === x.length, () => `graph: ${at}: ${x.length} inputs but ${rules.length} gradients`);
  for (const [i, input] of x.entries()) {
    const build = rules[i];
    if (!build || !onPath.has(input)) continue;
    const contribution = unbroadcast(b, build(), input, node);
    const before = cotangents.get(input);
    cotangents.set(input, before ? b.Add(before, contribution) : contribution);
  }
}

/** Operators whose inputs spread over the output; all others pass gradients of their inputs' own rank. */
const SPREADING: ReadonlySet<Op> = new Set([...ARITHMETIC, "Where", "Expand"]);

/** Sums `g` over the axes along which `input` was repeated to make `y`; expands it first if it is short along one. */
function unbroadcast(b: GraphBuilder, g: Tensor, input: Tensor, { op, output: y }: Node): Tensor {
  const over = SPREADING.has(op) ? y : g;
  const lead = over.shape.length - input.shape.length;
  const repeated = over.shape.flatMap((dim, i) =>
    dim !== 1 && (input.shape[i - lead] ?? 1) === 1 ? [i] : [],
  );
  const short = repeated.some((i) => g.shape[i] === 1) || g.shape.length < over.shape.length;
  let sum = repeated.length > 0 && short ? wholeGradient(b, g, y) : g;
  if (repeated.length > 0) sum = b.ReduceSum(sum, repeated);
  if (sum.shape.length > input.shape.length) sum = b.Reshape(sum, sum.shape.slice(lead));
  assert(
    sum.shape.length === input.shape.length && sum.shape.every((d, i) => d === 1 || d === input.shape[i]),
    () => `graph: gradient ${showShape(sum.shape)} does not fit ${input.name} ${showShape(input.shape)}`,
  );
  return sum;
}
