/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the compiled tables of loops this machine can run. */
#include "loopslist.h"

#ifdef VH_NEON_LOOPS
#include "neon.h"
#endif

extern const VhLoops vh_loops_baseline;

#ifdef VH_X86_LOOPS
extern const VhLoops vh_loops_avx2;
extern const VhLoops vh_loops_avx512;

/* Ice Lake, Zen 4 and newer. */
static gboolean
has_avx512 (void)
{
  return __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512vbmi")
      && __builtin_cpu_supports ("avx512vbmi2")
      && __builtin_cpu_supports ("avx512vnni")
      && __builtin_cpu_supports ("avx512bitalg")
      && __builtin_cpu_supports ("gfni")
      && __builtin_cpu_supports ("bmi2");
}

static gboolean
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("bmi2");
}
#endif

static gpointer
make_list (G_GNUC_UNUSED gpointer data)
{
  static const VhLoops *list[4];
  guint n = 0;

#ifdef VH_X86_LOOPS
  if (has_avx512 ())
    list[n++] = &vh_loops_avx512;
  if (has_avx2 ())
    list[n++] = &vh_loops_avx2;
#endif
#ifdef VH_NEON_LOOPS
  list[n++] = vh_neon_loops ();
#endif
  list[n] = &vh_loops_baseline;
  return list;
}

const VhLoops *const *
vh_loops_list (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, make_list, NULL);
  return once.retval;
}
