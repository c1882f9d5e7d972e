# Source this before training on a CPU:  . ./cpu_env.sh
# One thread an operator (each worker of train.py is a process of its own), sleeping rather than spinning when idle.
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# Memory that glibc hands back to the system at every step has to be faulted in again, which costs more than the
# arithmetic at this size: keep it, in huge pages.
export MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=2000000000 MALLOC_TOP_PAD_=268435456
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
# Older PyTorch and OpenBLAS do not recognise newer processors; with AVX-512 they are about twice as fast.
if grep -q avx512bw /proc/cpuinfo; then export ATEN_CPU_CAPABILITY=avx512 OPENBLAS_CORETYPE=SKYLAKEX; fi
# Layers in compiled kernels (fused.py), where there is what compiles them.
if command -v g++ >/dev/null && command -v ninja >/dev/null && [ -e /usr/include/torch/extension.h ]; then export PALIMPSEST_FUSED=1; fi
