/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:gstvideojointhistogram
 * @title: GstVideoJointHistogram
 * @short_description: how often two values occur together
 *
 * A #GstVideoJointHistogram has two sides, a and b, and holds for each bin of a
 * and each bin of b how many pixels are in both. It tells how much one side
 * says about the other: by mutual information, which image registration uses,
 * and by the correlation ratio. #GstVideoHistogramJoint lists what the sides
 * can be, docs/definitions.md defines every number.
 *
 * Like a #GstVideoHistogram it may be pending; everything that needs the counts
 * waits for them.
 *
 * Thread-safety: all functions may be called from any thread. Counts are
 * constant for as long as a reference is held.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstvideojointhistogram.h"
#include "initialized.h"
#include "gstvideojointhistogram-private.h"
#include "gstvideohistogram-private.h"
#include "core/channels.h"

#include <math.h>

struct _GstVideoJointHistogram
{
  GstMiniObject mini_object;

  GstVideoHistogramJoint kind;
  guint n_a, n_b;
  guint64 pixels;
  const gchar *backend;         /* static */
  VhCounts *counts;             /* one channel of n_a x n_b bins, [a][b] */
  GstClockTime running_time;    /* of a, in another stream; or NONE */
};

GST_DEFINE_MINI_OBJECT_TYPE (GstVideoJointHistogram, gst_video_joint_histogram);

/* By hand, and not by glib-mkenums, for their nicks. */
GType
gst_video_histogram_joint_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_VIDEO_HISTOGRAM_JOINT_NONE, "GST_VIDEO_HISTOGRAM_JOINT_NONE",
        "none"},
    {GST_VIDEO_HISTOGRAM_JOINT_CHROMA, "GST_VIDEO_HISTOGRAM_JOINT_CHROMA",
        "chroma"},
    {GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, "GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS",
        "previous"},
    {GST_VIDEO_HISTOGRAM_JOINT_OTHER, "GST_VIDEO_HISTOGRAM_JOINT_OTHER",
        "other"},
    {0, NULL, NULL},
  };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVideoHistogramJoint", values);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

static void
gst_video_joint_histogram_free (GstVideoJointHistogram * joint)
{
  vh_counts_unref (joint->counts);
  g_free (joint);
}

GstVideoJointHistogram *
vh_joint_histogram_new (GstVideoHistogramJoint kind, guint n_a, guint n_b,
    guint64 pixels, const gchar * backend)
{
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = n_a * n_b,
    .columns = 1,
    .rows = 1,
  };
  VhCounts *counts = vh_counts_new (&shape);
  GstVideoJointHistogram *joint;

  if (!counts)
    return NULL;
  joint = g_new0 (GstVideoJointHistogram, 1);
  gst_mini_object_init (GST_MINI_OBJECT_CAST (joint), 0,
      GST_TYPE_VIDEO_JOINT_HISTOGRAM, NULL, NULL,
      (GstMiniObjectFreeFunction) gst_video_joint_histogram_free);
  joint->kind = kind;
  joint->n_a = n_a;
  joint->n_b = n_b;
  joint->pixels = pixels;
  joint->backend = backend;
  joint->counts = counts;
  joint->running_time = GST_CLOCK_TIME_NONE;
  return joint;
}

VhCounts *
vh_joint_histogram_counts (GstVideoJointHistogram * joint)
{
  return joint->counts;
}

void
vh_joint_histogram_set_time (GstVideoJointHistogram * joint,
    GstClockTime running_time)
{
  joint->running_time = running_time;
}

/**
 * gst_video_joint_histogram_new:
 * @n_a: bins of a, 1 to %GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS
 * @n_b: bins of b, in the same range
 * @counts: (array length=n_counts): the counts, all of b for the first bin of
 *     a, then for the second, and so on
 * @n_counts: length of @counts: @n_a x @n_b
 *
 * Makes a joint histogram from counts that were made elsewhere.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoJointHistogram, or %NULL
 *     if a size is out of range or there is no memory
 */
GstVideoJointHistogram *
gst_video_joint_histogram_new (guint n_a, guint n_b, const guint32 * counts,
    guint n_counts)
{
  GstVideoJointHistogram *joint;
  guint64 pixels = 0;
  guint i;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (counts != NULL, NULL);
  g_return_val_if_fail (n_a >= 1
      && n_a <= GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS, NULL);
  g_return_val_if_fail (n_b >= 1
      && n_b <= GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS, NULL);
  g_return_val_if_fail (n_counts == n_a * n_b, NULL);

  for (i = 0; i < n_counts; i++)
    pixels += counts[i];
  joint = vh_joint_histogram_new (GST_VIDEO_HISTOGRAM_JOINT_NONE, n_a, n_b,
      pixels, "none");
  if (!joint)
    return NULL;
  memcpy (vh_counts_storage (joint->counts), counts,
      n_counts * sizeof (*counts));
  vh_counts_complete (joint->counts);
  return joint;
}

/**
 * gst_video_joint_histogram_ref: (skip)
 * @joint: a #GstVideoJointHistogram
 *
 * Takes a reference. Thread-safe.
 *
 * Returns: (transfer full): @joint
 */
GstVideoJointHistogram *
gst_video_joint_histogram_ref (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  return (GstVideoJointHistogram *)
      gst_mini_object_ref (GST_MINI_OBJECT_CAST (joint));
}

/**
 * gst_video_joint_histogram_unref: (skip)
 * @joint: (transfer full): a #GstVideoJointHistogram
 *
 * Drops a reference; the last one frees @joint. Thread-safe.
 */
void
gst_video_joint_histogram_unref (GstVideoJointHistogram * joint)
{
  vh_return_unless_initialized ();
  g_return_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint));

  gst_mini_object_unref (GST_MINI_OBJECT_CAST (joint));
}

/**
 * gst_clear_video_joint_histogram: (skip)
 * @joint_ptr: a place that holds a #GstVideoJointHistogram or %NULL
 *
 * Drops the reference at @joint_ptr, if there is one, and stores %NULL.
 */
void
gst_clear_video_joint_histogram (GstVideoJointHistogram ** joint_ptr)
{
  vh_return_unless_initialized ();
  g_return_if_fail (joint_ptr != NULL);

  gst_clear_mini_object ((GstMiniObject **) joint_ptr);
}

void
vh_histogram_set_joint (GstVideoHistogram * histogram,
    GstVideoJointHistogram * joint)
{
  vh_histogram_attach (histogram, GST_MINI_OBJECT_CAST (joint), joint->counts);
}

/**
 * gst_video_histogram_get_joint:
 * @histogram: a #GstVideoHistogram
 *
 * The joint histogram that was counted with @histogram, if the spec requested
 * one. Never waits; once @histogram is complete it is no longer pending, but
 * may have failed.
 *
 * Returns: (transfer none) (nullable): the joint histogram, or %NULL if there
 *     is none: it was not requested, the first frame has none before it, or the
 *     frame to count it against has another size
 */
GstVideoJointHistogram *
gst_video_histogram_get_joint (GstVideoHistogram * histogram)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);

  return GST_VIDEO_JOINT_HISTOGRAM (vh_histogram_get_attached (histogram));
}

/**
 * gst_video_joint_histogram_get_kind:
 * @joint: a #GstVideoJointHistogram
 *
 * What was counted jointly; never waits.
 *
 * Returns: what a and b are
 */
GstVideoHistogramJoint
gst_video_joint_histogram_get_kind (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint),
      GST_VIDEO_HISTOGRAM_JOINT_NONE);

  return joint->kind;
}

/**
 * gst_video_joint_histogram_get_backend:
 * @joint: a #GstVideoJointHistogram
 *
 * What @joint was counted on; never waits.
 *
 * Returns: what counted: `cpu` or `cuda`, or `none` for one made by
 *     gst_video_joint_histogram_new()
 */
const gchar *
gst_video_joint_histogram_get_backend (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  return joint->backend;
}

/**
 * gst_video_joint_histogram_get_state:
 * @joint: a #GstVideoJointHistogram
 *
 * Tells whether the counts are available; never waits.
 *
 * Returns: the current state of @joint
 */
GstVideoHistogramState
gst_video_joint_histogram_get_state (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint),
      GST_VIDEO_HISTOGRAM_STATE_FAILED);

  return (GstVideoHistogramState) vh_counts_poll (joint->counts);
}

/**
 * gst_video_joint_histogram_wait:
 * @joint: a #GstVideoJointHistogram
 * @timeout: longest time to wait in ns, or %GST_CLOCK_TIME_NONE for no limit
 *
 * Waits until @joint is no longer pending.
 *
 * Returns: %TRUE if the counts are complete; %FALSE if counting failed, or
 *     takes longer than @timeout
 */
gboolean
gst_video_joint_histogram_wait (GstVideoJointHistogram * joint,
    GstClockTime timeout)
{
  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), FALSE);

  return vh_counts_wait (joint->counts, timeout);
}

/**
 * gst_video_joint_histogram_get_n_a:
 * @joint: a #GstVideoJointHistogram
 *
 * The number of rows of the table of counts; never waits.
 *
 * Returns: bins of a
 */
guint
gst_video_joint_histogram_get_n_a (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), 0);

  return joint->n_a;
}

/**
 * gst_video_joint_histogram_get_n_b:
 * @joint: a #GstVideoJointHistogram
 *
 * The number of columns of the table of counts; never waits.
 *
 * Returns: bins of b
 */
guint
gst_video_joint_histogram_get_n_b (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), 0);

  return joint->n_b;
}

/**
 * gst_video_joint_histogram_get_running_time:
 * @joint: a #GstVideoJointHistogram
 *
 * Which frame of the other stream was counted. Waits for the counts.
 *
 * Returns: for %GST_VIDEO_HISTOGRAM_JOINT_OTHER the running time of the frame
 *     that a is of, in ns; %GST_CLOCK_TIME_NONE for other kinds, for frames
 *     without running times, and if counting failed
 *
 * Since: 0.2
 */
GstClockTime
gst_video_joint_histogram_get_running_time (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, GST_CLOCK_TIME_NONE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint),
      GST_CLOCK_TIME_NONE);

  return vh_counts_wait (joint->counts, GST_CLOCK_TIME_NONE) ?
      joint->running_time : GST_CLOCK_TIME_NONE;
}

/**
 * gst_video_joint_histogram_get_pixels:
 * @joint: a #GstVideoJointHistogram
 *
 * The number of pairs that the counts sum to; never waits.
 *
 * Returns: how many pixels, or for chroma how many samples, were counted: the
 *     sum of the counts
 */
guint64
gst_video_joint_histogram_get_pixels (GstVideoJointHistogram * joint)
{
  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), 0);

  return joint->pixels;
}

/**
 * gst_video_joint_histogram_get_counts:
 * @joint: a #GstVideoJointHistogram
 * @n_counts: (out) (optional): length of the returned array: bins of a x bins
 *     of b
 *
 * Pixels per pair of bins: `counts[a * n_b + b]` are in bin a of one side and
 * in bin b of the other. Waits for a pending histogram.
 *
 * Returns: (transfer none) (nullable) (array length=n_counts): the counts, or
 *     %NULL if counting failed
 */
const guint32 *
gst_video_joint_histogram_get_counts (GstVideoJointHistogram * joint,
    guint * n_counts)
{
  gboolean counted;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  counted = vh_counts_wait (joint->counts, GST_CLOCK_TIME_NONE);
  if (n_counts)
    *n_counts = counted ? vh_counts_length (joint->counts) : 0;
  return counted ? vh_counts_storage (joint->counts) : NULL;
}

/* Sums over the bins of the other side; NULL if counting failed. A sum stays
 * below 2^32, like the number of a frame's pixels. */
static guint32 *
add_side (GstVideoJointHistogram * joint, gboolean of_b)
{
  const guint32 *counts = gst_video_joint_histogram_get_counts (joint, NULL);
  guint32 *sums;
  guint a, b;

  if (!counts)
    return NULL;
  sums = g_new0 (guint32, of_b ? joint->n_b : joint->n_a);
  for (a = 0; a < joint->n_a; a++) {
    for (b = 0; b < joint->n_b; b++)
      sums[of_b ? b : a] += *counts++;
  }
  return sums;
}

/**
 * gst_video_joint_histogram_get_counts_bytes:
 * @joint: a #GstVideoJointHistogram
 *
 * Gets the counts at once, waiting for them if necessary: unsigned 32-bit
 * little-endian numbers in the order [a][b], as those of
 * gst_video_joint_histogram_get_counts(). Where memory has that order of bytes
 * nothing is copied; the bytes may outlive @joint.
 *
 * Returns: (transfer full) (nullable): the counts, or %NULL if counting failed
 *
 * Since: 0.2
 */
GBytes *
gst_video_joint_histogram_get_counts_bytes (GstVideoJointHistogram * joint)
{
  const guint32 *counts;
  guint n;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  counts = gst_video_joint_histogram_get_counts (joint, &n);
  return counts ? vh_counts_to_bytes (counts, n,
      GST_MINI_OBJECT_CAST (joint)) : NULL;
}

/**
 * gst_video_joint_histogram_dup_marginal_a:
 * @joint: a #GstVideoJointHistogram
 * @n_a: (out) (optional): length of the returned array: the bins of a
 *
 * The histogram of a by itself. Waits for a pending histogram.
 *
 * Returns: (transfer full) (nullable) (array length=n_a): pixels per bin of a,
 *     free with g_free(); %NULL if counting failed
 */
guint32 *
gst_video_joint_histogram_dup_marginal_a (GstVideoJointHistogram * joint,
    guint * n_a)
{
  guint32 *sums;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  sums = add_side (joint, FALSE);
  if (n_a)
    *n_a = sums ? joint->n_a : 0;
  return sums;
}

/**
 * gst_video_joint_histogram_dup_marginal_b:
 * @joint: a #GstVideoJointHistogram
 * @n_b: (out) (optional): length of the returned array: the bins of b
 *
 * The histogram of b by itself. Waits for a pending histogram.
 *
 * Returns: (transfer full) (nullable) (array length=n_b): pixels per bin of b,
 *     free with g_free(); %NULL if counting failed
 */
guint32 *
gst_video_joint_histogram_dup_marginal_b (GstVideoJointHistogram * joint,
    guint * n_b)
{
  guint32 *sums;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  sums = add_side (joint, TRUE);
  if (n_b)
    *n_b = sums ? joint->n_b : 0;
  return sums;
}

/**
 * gst_video_joint_histogram_to_sparse:
 * @joint: a #GstVideoJointHistogram
 *
 * The counts as compressed sparse rows: a row for each bin of a, a column for
 * each of b. Waits for a pending histogram.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoSparseCounts, or %NULL if
 *     counting failed
 */
GstVideoSparseCounts *
gst_video_joint_histogram_to_sparse (GstVideoJointHistogram * joint)
{
  const guint32 *counts;
  guint n;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  counts = gst_video_joint_histogram_get_counts (joint, &n);
  if (!counts)
    return NULL;
  return gst_video_sparse_counts_new (joint->n_a, joint->n_b, counts, n);
}

/* For each bin of a, how many pixels it has and the sum of their bins of b: two
 * products of the sparse matrix and a vector, exact because they are whole
 * numbers below 2^53. */
typedef struct
{
  gdouble *pixels;
  gdouble *sums;
} Rows;

static gboolean
add_rows (GstVideoJointHistogram * joint, Rows * rows)
{
  GstVideoSparseCounts *sparse = gst_video_joint_histogram_to_sparse (joint);
  gdouble *vector;
  guint b;

  if (!sparse)
    return FALSE;

  vector = g_new (gdouble, joint->n_b);
  for (b = 0; b < joint->n_b; b++)
    vector[b] = 1;
  rows->pixels = gst_video_sparse_counts_multiply (sparse, vector, joint->n_b,
      NULL);
  for (b = 0; b < joint->n_b; b++)
    vector[b] = b;
  rows->sums = gst_video_sparse_counts_multiply (sparse, vector, joint->n_b,
      NULL);
  g_free (vector);
  gst_video_sparse_counts_unref (sparse);
  return TRUE;
}

static void
clear_rows (Rows * rows)
{
  g_free (rows->pixels);
  g_free (rows->sums);
}

/**
 * gst_video_joint_histogram_dup_conditional_means:
 * @joint: a #GstVideoJointHistogram
 * @n_a: (out) (optional): length of the returned array: the bins of a
 *
 * The mean bin of b among the pixels of each bin of a. Waits for a pending
 * histogram.
 *
 * Returns: (transfer full) (nullable) (array length=n_a): the means, NaN for
 *     bins of a that are empty, free with g_free(); %NULL if counting failed
 */
gdouble *
gst_video_joint_histogram_dup_conditional_means (GstVideoJointHistogram * joint,
    guint * n_a)
{
  gdouble *means;
  Rows rows;
  guint a;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), NULL);

  if (n_a)
    *n_a = 0;
  if (!add_rows (joint, &rows))
    return NULL;

  means = g_new (gdouble, joint->n_a);
  for (a = 0; a < joint->n_a; a++)
    means[a] = rows.pixels[a] > 0 ? rows.sums[a] / rows.pixels[a] : NAN;
  clear_rows (&rows);
  if (n_a)
    *n_a = joint->n_a;
  return means;
}

/* In bits. */
typedef struct
{
  gdouble a, b, both;           /* entropies */
  gdouble mutual;
} Entropies;

static gdouble
entropy (const guint32 * counts, guint n, gdouble pixels)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < n; i++) {
    if (counts[i])
      sum += counts[i] / pixels * log2 (pixels / counts[i]);
  }
  return sum;
}

/* A pair that is exactly as frequent as independent sides imply adds nothing,
 * whatever rounding does: products of two counts are exact. */
static gdouble
mutual_information (GstVideoJointHistogram * joint, const guint32 * counts,
    const guint32 * of_a, const guint32 * of_b, gdouble pixels)
{
  gdouble sum = 0;
  guint a, b;

  for (a = 0; a < joint->n_a; a++) {
    for (b = 0; b < joint->n_b; b++, counts++) {
      if (*counts) {
        sum += *counts / pixels * log2 (*counts * pixels
            / ((gdouble) of_a[a] * of_b[b]));
      }
    }
  }
  return MAX (sum, 0);
}

/* FALSE if counting failed or there is no pixel. */
static gboolean
get_entropies (GstVideoJointHistogram * joint, Entropies * entropies)
{
  const guint32 *counts = gst_video_joint_histogram_get_counts (joint, NULL);
  const gdouble pixels = joint->pixels;
  guint32 *of_a, *of_b;

  if (!counts || joint->pixels == 0)
    return FALSE;

  of_a = add_side (joint, FALSE);
  of_b = add_side (joint, TRUE);
  entropies->a = entropy (of_a, joint->n_a, pixels);
  entropies->b = entropy (of_b, joint->n_b, pixels);
  entropies->both = entropy (counts, joint->n_a * joint->n_b, pixels);
  entropies->mutual = mutual_information (joint, counts, of_a, of_b, pixels);
  g_free (of_a);
  g_free (of_b);
  return TRUE;
}

/**
 * gst_video_joint_histogram_get_mutual_information:
 * @joint: a #GstVideoJointHistogram
 * @result: (out): where the mutual information goes, in bits
 *
 * How much a pixel's bin of one side tells about its bin of the other: 0 for
 * nothing, and the entropy of either side if both are equal. Waits for a
 * pending histogram.
 *
 * Returns: %TRUE, or %FALSE if there is no pixel, or counting failed
 */
gboolean
gst_video_joint_histogram_get_mutual_information (GstVideoJointHistogram *
    joint, gdouble * result)
{
  Entropies entropies;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), FALSE);
  g_return_val_if_fail (result != NULL, FALSE);

  if (!get_entropies (joint, &entropies))
    return FALSE;
  *result = entropies.mutual;
  return TRUE;
}

/**
 * gst_video_joint_histogram_get_normalized_mutual_information:
 * @joint: a #GstVideoJointHistogram
 * @result: (out): where the normalised mutual information goes
 *
 * The sum of the entropies of both sides, divided by that of their pairs, as
 * defined by Studholme, Hill and Hawkes: 1 if one side tells nothing about the
 * other, and 2 if it tells everything, or if all pixels are in one pair. Waits
 * for a pending histogram.
 *
 * Returns: %TRUE, or %FALSE if there is no pixel, or counting failed
 */
gboolean
    gst_video_joint_histogram_get_normalized_mutual_information
    (GstVideoJointHistogram * joint, gdouble * result)
{
  Entropies entropies;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), FALSE);
  g_return_val_if_fail (result != NULL, FALSE);

  if (!get_entropies (joint, &entropies))
    return FALSE;
  *result = entropies.both > 0 ?
      (entropies.a + entropies.b) / entropies.both : 2;
  return TRUE;
}

/**
 * gst_video_joint_histogram_get_correlation_ratio:
 * @joint: a #GstVideoJointHistogram
 * @result: (out): where the correlation ratio goes, 0 to 1
 *
 * The share of the variance of b that a explains by the mean of b in each bin
 * of a: 0 if that mean is the same for all, and 1 if b follows from a, or does
 * not vary at all. It is not symmetric: the ratio of a given b is another
 * number. Waits for a pending histogram.
 *
 * Returns: %TRUE, or %FALSE if there is no pixel, or counting failed
 */
gboolean
gst_video_joint_histogram_get_correlation_ratio (GstVideoJointHistogram *
    joint, gdouble * result)
{
  gdouble mean = 0, explained = 0, all = 0;
  guint32 *of_b;
  Rows rows;
  guint i;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_JOINT_HISTOGRAM (joint), FALSE);
  g_return_val_if_fail (result != NULL, FALSE);

  if (joint->pixels == 0 || !add_rows (joint, &rows))
    return FALSE;

  for (i = 0; i < joint->n_a; i++)
    mean += rows.sums[i];
  mean /= joint->pixels;
  for (i = 0; i < joint->n_a; i++) {
    if (rows.pixels[i] > 0) {
      const gdouble d = rows.sums[i] / rows.pixels[i] - mean;

      explained += rows.pixels[i] * d * d;
    }
  }
  clear_rows (&rows);

  of_b = add_side (joint, TRUE);
  for (i = 0; i < joint->n_b; i++)
    all += of_b[i] * (i - mean) * (i - mean);
  g_free (of_b);

  *result = all > 0 ? MIN (explained / all, 1) : 1;
  return TRUE;
}
