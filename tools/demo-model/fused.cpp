// The parts of a decoder layer that are no matrix products, for training on a CPU with bfloat16 products: each reads and
// writes its tensors once, where the same in operators of PyTorch takes a pass of memory each. One thread. See fused.py.
#include <torch/extension.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using at::Tensor;
using half_t = uint16_t;  // the bits of a bfloat16

static const int64_t BLOCK = 128;  // queries that attend together: their scores stay in the second-level cache

static inline float up(half_t h) {
  uint32_t u = uint32_t(h) << 16;
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}

static inline half_t down(float f) {  // to the nearest, ties to even
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return half_t((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

static half_t* bits(const Tensor& t) { return reinterpret_cast<half_t*>(t.data_ptr<at::BFloat16>()); }
// Of numbers up to 0; the vector library takes those that vanish one at a time.
static inline float exp_below(float x) { return std::exp(x < -80.0f ? -80.0f : x > 0.0f ? 0.0f : x); }
static Tensor halves(at::IntArrayRef sizes) { return at::empty(sizes, at::kBFloat16); }
static Tensor view(half_t* at, int64_t rows, int64_t columns) { return at::from_blob(at, {rows, columns}, at::kBFloat16); }

// ---- root mean square norm --------------------------------------------------------------------------------------

// x [N,D] f32, w [D] -> y [N,D] bf16, r [N] (1 / root mean square)
std::vector<Tensor> norm_forward(const Tensor& x, const Tensor& w, double eps) {
  const int64_t D = w.numel(), N = x.numel() / D;
  Tensor y = halves(x.sizes()), r = at::empty({N});
  const float *xs = x.data_ptr<float>(), *ws = w.data_ptr<float>();
  float* rs = r.data_ptr<float>();
  half_t* ys = bits(y);
  for (int64_t n = 0; n < N; n++) {
    const float* a = xs + n * D;
    float sum = 0;
    for (int64_t d = 0; d < D; d++) sum += a[d] * a[d];
    const float s = rs[n] = 1.0f / std::sqrt(sum / D + float(eps));
    for (int64_t d = 0; d < D; d++) ys[n * D + d] = down(a[d] * s * ws[d]);
  }
  return {y, r};
}

std::vector<Tensor> norm_backward(const Tensor& gy, const Tensor& x, const Tensor& w, const Tensor& r) {
  const int64_t D = w.numel(), N = x.numel() / D;
  Tensor gx = at::empty_like(x), gw = at::zeros_like(w);
  const float *xs = x.data_ptr<float>(), *ws = w.data_ptr<float>(), *rs = r.data_ptr<float>();
  float *gxs = gx.data_ptr<float>(), *gws = gw.data_ptr<float>();
  const half_t* gys = bits(gy);
  for (int64_t n = 0; n < N; n++) {
    const float *a = xs + n * D, s = rs[n];
    const half_t* g = gys + n * D;
    float dot = 0;
    for (int64_t d = 0; d < D; d++) dot += up(g[d]) * ws[d] * a[d];
    const float back = s * s * s * dot / D;
    for (int64_t d = 0; d < D; d++) {
      const float gd = up(g[d]);
      gxs[n * D + d] = s * gd * ws[d] - a[d] * back;
      gws[d] += gd * a[d] * s;
    }
  }
  return {gx, gw};
}

// ---- gate -------------------------------------------------------------------------------------------------------

// both [N,2F] (gate, then up) -> silu(gate) * up [N,F]
Tensor gate_forward(const Tensor& both) {
  const int64_t F = both.size(-1) / 2, N = both.numel() / (2 * F);
  std::vector<int64_t> sizes(both.sizes().begin(), both.sizes().end());
  sizes.back() = F;
  Tensor out = halves(sizes);
  const half_t* in = bits(both);
  half_t* to = bits(out);
  for (int64_t n = 0; n < N; n++)
    for (int64_t f = 0; f < F; f++) {
      const float g = up(in[n * 2 * F + f]), u = up(in[n * 2 * F + F + f]);
      to[n * F + f] = down(g / (1.0f + std::exp(-g)) * u);
    }
  return out;
}

Tensor gate_backward(const Tensor& grad, const Tensor& both) {
  const int64_t F = both.size(-1) / 2, N = both.numel() / (2 * F);
  Tensor out = at::empty_like(both);
  const half_t *in = bits(both), *go = bits(grad);
  half_t* to = bits(out);
  for (int64_t n = 0; n < N; n++)
    for (int64_t f = 0; f < F; f++) {
      const float g = up(in[n * 2 * F + f]), u = up(in[n * 2 * F + F + f]), d = up(go[n * F + f]);
      const float s = 1.0f / (1.0f + std::exp(-g));
      to[n * 2 * F + f] = down(d * u * s * (1.0f + g * (1.0f - s)));
      to[n * 2 * F + F + f] = down(d * g * s);
    }
  return out;
}

// ---- residual stream --------------------------------------------------------------------------------------------

// x f32 + y bf16
Tensor add_half(const Tensor& x, const Tensor& y) {
  Tensor out = at::empty_like(x);
  const float* a = x.data_ptr<float>();
  const half_t* b = bits(y);
  float* to = out.data_ptr<float>();
  for (int64_t i = 0, n = x.numel(); i < n; i++) to[i] = a[i] + up(b[i]);
  return out;
}

// ---- attention --------------------------------------------------------------------------------------------------

struct Sizes {
  int64_t B, T, H, G, E, per, row;  // per: query heads of a key head; row: numbers of a token in qkv
};

// One head's norm, turn and scale. x [E] bf16 -> out [E] bf16; r is 1 / root mean square.
static inline void turn_head(const half_t* x, const float* w, const float* cos, const float* sin, float eps, float scale,
                             int64_t E, half_t* out) {
  float sum = 0, y[256];
  for (int64_t e = 0; e < E; e++) sum += up(x[e]) * up(x[e]);
  const float r = scale / std::sqrt(sum / E + eps);
  for (int64_t e = 0; e < E; e++) y[e] = up(x[e]) * r * w[e];
  const int64_t half = E / 2;
  for (int64_t e = 0; e < half; e++) {
    out[e] = down(y[e] * cos[e] - y[e + half] * sin[e]);
    out[e + half] = down(y[e + half] * cos[e] + y[e] * sin[e]);
  }
}

static inline void turn_head_back(const float* g, const half_t* x, const float* w, const float* cos, const float* sin, float eps,
                                  float scale, int64_t E, half_t* gx, float* gw) {
  float sum = 0, dot = 0, y[256];
  const int64_t half = E / 2;
  for (int64_t e = 0; e < half; e++) {
    y[e] = (g[e] * cos[e] + g[e + half] * sin[e]) * scale;
    y[e + half] = (g[e + half] * cos[e] - g[e] * sin[e]) * scale;
  }
  for (int64_t e = 0; e < E; e++) sum += up(x[e]) * up(x[e]);
  const float r = 1.0f / std::sqrt(sum / E + eps);
  for (int64_t e = 0; e < E; e++) dot += y[e] * w[e] * up(x[e]);
  const float back = r * r * r * dot / E;
  for (int64_t e = 0; e < E; e++) {
    const float a = up(x[e]);
    gw[e] += y[e] * a * r;
    gx[e] = down(r * y[e] * w[e] - a * back);
  }
}

// Which keys a query sees: those before it, of its own item, told to all or of its own fork.
struct Sight {
  const int32_t *item, *fork;  // of one row, [T]
  int64_t first(int64_t t) const {  // items lie side by side
    while (t > 0 && item[t - 1] == item[t]) t--;
    return t;
  }
};

// scores [keys] bf16 of query t, keys from `from` -> probabilities in place; returns the logarithm of their sum
static inline float soften(half_t* scores, const Sight& sight, int64_t t, int64_t from, int64_t keys, float* buffer) {
  const int64_t seen = t + 1 - from;
  const int32_t item = sight.item[t], fork = sight.fork[t];
  const int32_t *items = sight.item + from, *forks = sight.fork + from;
  float most = -1e30f;
  for (int64_t s = 0; s < seen; s++) {
    const bool sees = (items[s] == item) & ((forks[s] == 0) | (forks[s] == fork));
    const float score = sees ? up(scores[s]) : -1e30f;
    buffer[s] = score;
    most = score > most ? score : most;
  }
  float sum = 0;
  for (int64_t s = 0; s < seen; s++) {
    buffer[s] = exp_below(buffer[s] - most);
    sum += buffer[s];
  }
  const float part = 1.0f / sum;
  for (int64_t s = 0; s < seen; s++) scores[s] = down(buffer[s] * part);
  std::fill(scores + seen, scores + keys, half_t(0));
  return most + std::log(sum);
}

// The same probabilities again, from the logarithm of their sum.
static inline void soften_again(half_t* scores, const Sight& sight, int64_t t, int64_t from, int64_t keys, float log_sum) {
  const int64_t seen = t + 1 - from;
  const int32_t item = sight.item[t], fork = sight.fork[t];
  const int32_t *items = sight.item + from, *forks = sight.fork + from;
  for (int64_t s = 0; s < seen; s++) {
    const bool sees = (items[s] == item) & ((forks[s] == 0) | (forks[s] == fork));
    scores[s] = down(sees ? exp_below(up(scores[s]) - log_sum) : 0.0f);
  }
  std::fill(scores + seen, scores + keys, half_t(0));
}

// Rows of a few tokens are quicker in vector instructions than in many small products.
static const int64_t FEW = 64;

struct Head {  // one key head of one row, by number (E) and by token, and turned over
  int64_t width;  // tokens, rounded up to a vector's
  std::vector<float> k, v, k_over, v_over;
  Head(const half_t* keys, const half_t* values, int64_t T, int64_t E)
      : width((T + 15) / 16 * 16), k(T * E), v(T * E), k_over(E * width, 0.0f), v_over(E * width, 0.0f) {
    for (int64_t t = 0; t < T; t++)
      for (int64_t e = 0; e < E; e++) {
        k_over[e * width + t] = k[t * E + e] = up(keys[t * E + e]);
        v_over[e * width + t] = v[t * E + e] = up(values[t * E + e]);
      }
  }
};

static inline void products(const half_t* x, const float* over, int64_t E, int64_t width, float* out) {
  std::fill(out, out + width, 0.0f);
  for (int64_t e = 0; e < E; e++) {
    const float a = up(x[e]);
    for (int64_t s = 0; s < width; s++) out[s] += a * over[e * width + s];
  }
}

static inline void hide(float* scores, const Sight& sight, int64_t t, int64_t width, float hidden) {
  const int32_t item = sight.item[t], fork = sight.fork[t];
  for (int64_t s = 0; s <= t; s++)
    scores[s] = (sight.item[s] == item) & ((sight.fork[s] == 0) | (sight.fork[s] == fork)) ? scores[s] : hidden;
  std::fill(scores + t + 1, scores + width, hidden);
}

// what query t of a head hears; returns the logarithm of the sum
static float hear(const half_t* q, const Head& head, const Sight& sight, int64_t t, int64_t E, half_t* out) {
  float p[FEW], heard[256] = {};
  products(q, head.k_over.data(), E, head.width, p);
  hide(p, sight, t, head.width, -1e30f);
  float most = -1e30f, sum = 0;
  for (int64_t s = 0; s < head.width; s++) most = p[s] > most ? p[s] : most;
  for (int64_t s = 0; s < head.width; s++) {
    p[s] = exp_below(p[s] - most);
    sum += p[s];
  }
  for (int64_t s = 0; s <= t; s++)
    for (int64_t e = 0; e < E; e++) heard[e] += p[s] * head.v[s * E + e];
  for (int64_t e = 0; e < E; e++) out[e] = down(heard[e] / sum);
  return most + std::log(sum);
}

static void hear_back(const half_t* q, const half_t* out, const half_t* grad, const Head& head, const Sight& sight, int64_t t,
                      int64_t E, float log_sum, float* gq, float* gk, float* gv) {
  float p[FEW], dp[FEW], whole = 0;
  products(q, head.k_over.data(), E, head.width, p);
  hide(p, sight, t, head.width, -1e30f);
  for (int64_t s = 0; s < head.width; s++) p[s] = exp_below(p[s] - log_sum);
  products(grad, head.v_over.data(), E, head.width, dp);
  for (int64_t e = 0; e < E; e++) whole += up(out[e]) * up(grad[e]);
  for (int64_t s = 0; s < head.width; s++) dp[s] = p[s] * (dp[s] - whole);
  float a[256], b[256];
  for (int64_t e = 0; e < E; e++) {
    a[e] = up(q[e]);
    b[e] = up(grad[e]);
    gq[e] = 0;
  }
  for (int64_t s = 0; s <= t; s++)
    for (int64_t e = 0; e < E; e++) {
      gq[e] += dp[s] * head.k[s * E + e];
      gk[s * E + e] += dp[s] * a[e];
      gv[s * E + e] += p[s] * b[e];
    }
}

static Sizes sizes_of(const Tensor& qkv, int64_t heads, int64_t kv_heads) {
  const int64_t row = qkv.size(-1);
  return {qkv.size(0), qkv.size(1), heads, kv_heads, row / (heads + 2 * kv_heads), heads / kv_heads, row};
}

// qkv [B,T,(H+2G)E] bf16, qw and kw [E], cos and sin [B,T,E/2], item and fork [B,T] int32
// -> out [B,T,HE] bf16, q [B,G,T,H/G,E], k and v [B,G,T,E] bf16, logarithms of sums [B,G,T,H/G]
std::vector<Tensor> attend_forward(const Tensor& qkv, const Tensor& qw, const Tensor& kw, const Tensor& cos, const Tensor& sin,
                                   const Tensor& item, const Tensor& fork, int64_t heads, int64_t kv_heads, double eps) {
  const Sizes z = sizes_of(qkv, heads, kv_heads);
  Tensor q = halves({z.B, z.G, z.T, z.per, z.E}), k = halves({z.B, z.G, z.T, z.E}), v = halves({z.B, z.G, z.T, z.E});
  Tensor out = halves({z.B, z.T, z.H * z.E}), sums = at::empty({z.B, z.G, z.T, z.per});
  Tensor scores = halves({BLOCK * z.per * z.T}), mixed = halves({BLOCK * z.per, z.E});
  std::vector<float> buffer(z.T);
  const float scale = 1.0f / std::sqrt(float(z.E));
  half_t *qkv_ = bits(qkv), *q_ = bits(q), *k_ = bits(k), *v_ = bits(v), *out_ = bits(out), *scores_ = bits(scores), *mixed_ = bits(mixed);
  float *sums_ = sums.data_ptr<float>(), *qw_ = qw.data_ptr<float>(), *kw_ = kw.data_ptr<float>(), *cos_ = cos.data_ptr<float>(), *sin_ = sin.data_ptr<float>();
  const int32_t *item_ = item.data_ptr<int32_t>(), *fork_ = fork.data_ptr<int32_t>();
  for (int64_t b = 0; b < z.B; b++)
    for (int64_t t = 0; t < z.T; t++) {
      const half_t* x = qkv_ + (b * z.T + t) * z.row;
      const float *c = cos_ + (b * z.T + t) * z.E / 2, *s = sin_ + (b * z.T + t) * z.E / 2;
      for (int64_t g = 0; g < z.G; g++) {
        const int64_t at = (b * z.G + g) * z.T + t;
        for (int64_t i = 0; i < z.per; i++)
          turn_head(x + (g * z.per + i) * z.E, qw_, c, s, float(eps), scale, z.E,
                    q_ + (at * z.per + i) * z.E);
        turn_head(x + (z.H + g) * z.E, kw_, c, s, float(eps), 1.0f, z.E, k_ + at * z.E);
        std::memcpy(v_ + at * z.E, x + (z.H + z.G + g) * z.E, z.E * sizeof(half_t));
      }
    }
  for (int64_t b = 0; b < z.B; b++) {
    const Sight sight{item_ + b * z.T, fork_ + b * z.T};
    for (int64_t g = 0; g < z.G && z.T <= FEW; g++) {
      const int64_t at = (b * z.G + g) * z.T;
      const Head head(k_ + at * z.E, v_ + at * z.E, z.T, z.E);
      for (int64_t i = 0; i < z.T * z.per; i++)
        sums_[at * z.per + i] =
            hear(q_ + (at * z.per + i) * z.E, head, sight, i / z.per, z.E,
                 out_ + ((b * z.T + i / z.per) * z.H + g * z.per + i % z.per) * z.E);
    }
    for (int64_t t0 = 0; t0 < z.T && z.T > FEW; t0 += BLOCK) {
      const int64_t t1 = std::min(t0 + BLOCK, z.T), from = sight.first(t0), keys = t1 - from, rows = (t1 - t0) * z.per;
      for (int64_t g = 0; g < z.G; g++) {
        const int64_t head = (b * z.G + g) * z.T;
        half_t* p = scores_;
        Tensor table = view(p, rows, keys);
        at::mm_out(table, view(q_ + (head + t0) * z.per * z.E, rows, z.E), view(k_ + (head + from) * z.E, keys, z.E).t());
        for (int64_t i = 0; i < rows; i++)
          sums_[(head + t0) * z.per + i] =
              soften(p + i * keys, sight, t0 + i / z.per, from, keys, buffer.data());
        Tensor heard = view(mixed_, rows, z.E);
        at::mm_out(heard, table, view(v_ + (head + from) * z.E, keys, z.E));
        for (int64_t i = 0; i < rows; i++)
          std::memcpy(out_ + ((b * z.T + t0 + i / z.per) * z.H + g * z.per + i % z.per) * z.E, mixed_ + i * z.E,
                      z.E * sizeof(half_t));
      }
    }
  }
  return {out, q, k, v, sums};
}

// -> gradients of qkv, qw, kw
std::vector<Tensor> attend_backward(const Tensor& grad, const Tensor& out, const Tensor& qkv, const Tensor& q, const Tensor& k,
                                    const Tensor& v, const Tensor& sums, const Tensor& qw, const Tensor& kw, const Tensor& cos,
                                    const Tensor& sin, const Tensor& item, const Tensor& fork, double eps) {
  const Sizes z = sizes_of(qkv, q.size(1) * q.size(3), q.size(1));
  Tensor gqkv = at::empty_like(qkv), gqw = at::zeros_like(qw), gkw = at::zeros_like(kw);
  Tensor gq = at::zeros({z.G, z.T, z.per, z.E}), gk = at::zeros({z.G, z.T, z.E}), gv = at::zeros({z.G, z.T, z.E});
  Tensor scores = halves({BLOCK * z.per * z.T}), blame = halves({BLOCK * z.per * z.T}), heard = halves({BLOCK * z.per, z.E});
  Tensor piece = halves({std::max(z.T, BLOCK * z.per), z.E});
  const float scale = 1.0f / std::sqrt(float(z.E));
  half_t *qkv_ = bits(qkv), *gqkv_ = bits(gqkv), *q_ = bits(q), *k_ = bits(k), *v_ = bits(v), *out_ = bits(out), *grad_ = bits(grad), *scores_ = bits(scores), *blame_ = bits(blame), *heard_ = bits(heard), *piece_ = bits(piece);
  float *sums_ = sums.data_ptr<float>(), *qw_ = qw.data_ptr<float>(), *kw_ = kw.data_ptr<float>(), *cos_ = cos.data_ptr<float>(), *sin_ = sin.data_ptr<float>(), *gq_ = gq.data_ptr<float>(), *gk_ = gk.data_ptr<float>(), *gv_ = gv.data_ptr<float>(), *gqw_ = gqw.data_ptr<float>(), *gkw_ = gkw.data_ptr<float>();
  const int32_t *item_ = item.data_ptr<int32_t>(), *fork_ = fork.data_ptr<int32_t>();
  for (int64_t b = 0; b < z.B; b++) {
    const Sight sight{item_ + b * z.T, fork_ + b * z.T};
    gk.zero_();
    gv.zero_();
    for (int64_t g = 0; g < z.G && z.T <= FEW; g++) {
      const int64_t at = (b * z.G + g) * z.T;
      const Head head(k_ + at * z.E, v_ + at * z.E, z.T, z.E);
      for (int64_t i = 0; i < z.T * z.per; i++) {
        const int64_t place = ((b * z.T + i / z.per) * z.H + g * z.per + i % z.per) * z.E;
        hear_back(q_ + (at * z.per + i) * z.E, out_ + place, grad_ + place, head, sight, i / z.per, z.E,
                  sums_[at * z.per + i], gq_ + (g * z.T * z.per + i) * z.E,
                  gk_ + g * z.T * z.E, gv_ + g * z.T * z.E);
      }
    }
    for (int64_t t0 = 0; t0 < z.T && z.T > FEW; t0 += BLOCK) {
      const int64_t t1 = std::min(t0 + BLOCK, z.T), from = sight.first(t0), keys = t1 - from, rows = (t1 - t0) * z.per;
      for (int64_t g = 0; g < z.G; g++) {
        const int64_t head = (b * z.G + g) * z.T;
        Tensor queries = view(q_ + (head + t0) * z.per * z.E, rows, z.E), known = view(k_ + (head + from) * z.E, keys, z.E);
        Tensor p = view(scores_, rows, keys), dp = view(blame_, rows, keys), go = view(heard_, rows, z.E);
        at::mm_out(p, queries, known.t());
        for (int64_t i = 0; i < rows; i++) {
          soften_again(scores_ + i * keys, sight, t0 + i / z.per, from, keys,
                       sums_[(head + t0) * z.per + i]);
          std::memcpy(heard_ + i * z.E, grad_ + ((b * z.T + t0 + i / z.per) * z.H + g * z.per + i % z.per) * z.E,
                      z.E * sizeof(half_t));
        }
        at::mm_out(dp, go, view(v_ + (head + from) * z.E, keys, z.E).t());
        Tensor change = view(piece_, keys, z.E);
        at::mm_out(change, p.t(), go);
        float* to = gv_ + (g * z.T + from) * z.E;
        for (int64_t i = 0; i < keys * z.E; i++) to[i] += up(piece_[i]);
        for (int64_t i = 0; i < rows; i++) {
          const half_t* o = out_ + ((b * z.T + t0 + i / z.per) * z.H + g * z.per + i % z.per) * z.E;
          float whole = 0;
          for (int64_t e = 0; e < z.E; e++) whole += up(o[e]) * up(heard_[i * z.E + e]);
          half_t *ps = scores_ + i * keys, *ds = blame_ + i * keys;
          for (int64_t s = 0; s < keys; s++) ds[s] = down(up(ps[s]) * (up(ds[s]) - whole));
        }
        at::mm_out(change, dp.t(), queries);
        to = gk_ + (g * z.T + from) * z.E;
        for (int64_t i = 0; i < keys * z.E; i++) to[i] += up(piece_[i]);
        Tensor moved = view(piece_, rows, z.E);
        at::mm_out(moved, dp, known);
        to = gq_ + (g * z.T + t0) * z.per * z.E;
        for (int64_t i = 0; i < rows * z.E; i++) to[i] = up(piece_[i]);
      }
    }
    for (int64_t t = 0; t < z.T; t++) {
      const int64_t at = (b * z.T + t);
      const half_t* x = qkv_ + at * z.row;
      half_t* gx = gqkv_ + at * z.row;
      const float *c = cos_ + at * z.E / 2, *s = sin_ + at * z.E / 2;
      for (int64_t g = 0; g < z.G; g++) {
        for (int64_t i = 0; i < z.per; i++)
          turn_head_back(gq_ + ((g * z.T + t) * z.per + i) * z.E, x + (g * z.per + i) * z.E,
                         qw_, c, s, float(eps), scale, z.E, gx + (g * z.per + i) * z.E, gqw_);
        turn_head_back(gk_ + (g * z.T + t) * z.E, x + (z.H + g) * z.E, kw_, c, s, float(eps),
                       1.0f, z.E, gx + (z.H + g) * z.E, gkw_);
        for (int64_t e = 0; e < z.E; e++) gx[(z.H + z.G + g) * z.E + e] = down(gv_[(g * z.T + t) * z.E + e]);
      }
    }
  }
  return {gqkv, gqw, gkw};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("norm_forward", &norm_forward);
  m.def("norm_backward", &norm_backward);
  m.def("gate_forward", &gate_forward);
  m.def("gate_backward", &gate_backward);
  m.def("add_half", &add_half);
  m.def("attend_forward", &attend_forward);
  m.def("attend_backward", &attend_backward);
}
