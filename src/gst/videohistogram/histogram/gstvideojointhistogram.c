/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstVideoJointHistogram:
 *
 * How often two values occur together.
 *
 * A joint histogram has two sides, a and b. For each bin of a and each bin of
 * b it holds the number of pixels that are in both. It measures how much one
 * side says about the other: by mutual information, which is used for image
 * registration, and by the correlation ratio. #GstVideoHistogramJoint lists
 * what the sides can be, and docs/definitions.md defines every number.
 *
 * Like a #GstVideoHistogram, a joint histogram may be pending, and functions
 * that need the counts wait for them.
 *
 * All functions may be called from any thread. Counts do not change and stay
 * valid while you hold a reference to the joint histogram.
 *
 * Since: 0.1
 */
#include "gst/videohistogram/gstvideojointhistogram.h"
#include "types.h"
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
  GstClockTime running_time;    /* of the frame of side a if it is from another
                                 * stream; otherwise NONE */
};

GST_DEFINE_MINI_OBJECT_TYPE (GstVideoJointHistogram, gst_video_joint_histogram);

/* *INDENT-OFF* */
#define JOINTS(E) \
  E (GST_VIDEO_HISTOGRAM_JOINT_NONE, "none") \
  E (GST_VIDEO_HISTOGRAM_JOINT_CHROMA, "chroma") \
  E (GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, "previous") \
  E (GST_VIDEO_HISTOGRAM_JOINT_OTHER, "other")

VH_DEFINE_ENUM_TYPE (GstVideoHistogramJoint, gst_video_histogram_joint,
    JOINTS);
/* *INDENT-ON* */

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
 * @n_a: number of bins of a, 1 to %GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS
 * @n_b: number of bins of b, 1 to %GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS
 * @counts: (array length=n_counts): the counts: for the first bin of a all
 *     bins of b, then for the second bin of a, and so on
 * @n_counts: length of @counts, which must be @n_a × @n_b
 *
 * Creates a complete joint histogram from existing counts.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoJointHistogram, or %NULL
 *     if a size is out of range or there is not enough memory
 *
 * Since: 0.1
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
 * Takes a reference. May be called from any thread.
 *
 * Returns: (transfer full): @joint
 *
 * Since: 0.1
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
 * Drops a reference. Dropping the last one frees @joint. May be called from
 * any thread.
 *
 * Since: 0.1
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
 * @joint_ptr: address of a #GstVideoJointHistogram pointer, which may be %NULL
 *
 * Drops the reference that @joint_ptr holds, if there is one, and sets the
 * pointer to %NULL.
 *
 * Since: 0.1
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
 * Returns the joint histogram that was counted together with @histogram, if
 * the spec asked for one. Never waits. Once @histogram is complete, the joint
 * histogram is complete or failed.
 *
 * Returns: (transfer none) (nullable): the joint histogram, owned by
 *     @histogram; %NULL if the spec did not ask for one, @histogram is of the
 *     first frame, or the frame to count against has another size
 *
 * Since: 0.1
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
 * Returns what the sides a and b are. Never waits.
 *
 * Returns: the kind of @joint
 *
 * Since: 0.1
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
 * Returns where @joint was counted. Never waits.
 *
 * Returns: `cpu` or `cuda`, or `none` for a joint histogram from
 *     gst_video_joint_histogram_new(); a static string
 *
 * Since: 0.1
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
 * Returns whether the counts are available. Never waits.
 *
 * Returns: the current state of @joint
 *
 * Since: 0.1
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
 * Waits until @joint is complete or failed.
 *
 * Returns: %TRUE if the counts are complete; %FALSE if counting failed or
 *     @timeout has passed
 *
 * Since: 0.1
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
 * Returns the number of bins of a, which are the rows of the table of counts.
 * Never waits.
 *
 * Returns: the number of bins of a
 *
 * Since: 0.1
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
 * Returns the number of bins of b, which are the columns of the table of
 * counts. Never waits.
 *
 * Returns: the number of bins of b
 *
 * Since: 0.1
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
 * Returns which frame of the other stream was counted. Waits if @joint is
 * pending.
 *
 * Returns: for %GST_VIDEO_HISTOGRAM_JOINT_OTHER the running time in ns of the
 *     frame of side a; %GST_CLOCK_TIME_NONE for other kinds, for frames
 *     without running times and if counting failed
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
 * Returns the sum of the counts. Never waits.
 *
 * Returns: the number of pixels that were counted, or of chroma samples for
 *     %GST_VIDEO_HISTOGRAM_JOINT_CHROMA
 *
 * Since: 0.1
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
 * @n_counts: (out) (optional): length of the returned array: the number of
 *     bins of a times the number of bins of b
 *
 * Returns the number of pixels per pair of bins: `counts[a * n_b + b]` pixels
 * are in bin a of one side and in bin b of the other. Waits if @joint is
 * pending.
 *
 * Returns: (transfer none) (nullable) (array length=n_counts): the counts,
 *     valid while you hold a reference to @joint, or %NULL if counting failed
 *
 * Since: 0.1
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

/* Sums over the bins of the other side; NULL if counting failed. A sum is below
 * 2^32, like the number of pixels in a frame. */
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
 * Returns the counts as bytes: unsigned 32-bit little-endian numbers in the
 * order [a][b], as in gst_video_joint_histogram_get_counts(). Waits if @joint
 * is pending. On little-endian machines nothing is copied. The bytes may
 * outlive @joint.
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
 * @n_a: (out) (optional): length of the returned array, which is the number of
 *     bins of a
 *
 * Computes the histogram of a alone. Waits if @joint is pending.
 *
 * Returns: (transfer full) (nullable) (array length=n_a): number of pixels per
 *     bin of a, to be freed with g_free(); %NULL if counting failed
 *
 * Since: 0.1
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
 * @n_b: (out) (optional): length of the returned array, which is the number of
 *     bins of b
 *
 * Computes the histogram of b alone. Waits if @joint is pending.
 *
 * Returns: (transfer full) (nullable) (array length=n_b): number of pixels per
 *     bin of b, to be freed with g_free(); %NULL if counting failed
 *
 * Since: 0.1
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
 * Converts the counts to compressed sparse rows, with a row per bin of a and a
 * column per bin of b. Waits if @joint is pending.
 *
 * Returns: (transfer full) (nullable): a new #GstVideoSparseCounts, or %NULL
 *     if counting failed
 *
 * Since: 0.1
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

/* For each bin of a, the number of its pixels and the sum of the b bins of
 * these pixels. Each is a product of the sparse matrix and a vector, and is
 * exact because all numbers are integers below 2^53. */
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
 * @n_a: (out) (optional): length of the returned array, which is the number of
 *     bins of a
 *
 * Computes for each bin of a the mean bin of b over the pixels in that bin of
 * a. Waits if @joint is pending.
 *
 * Returns: (transfer full) (nullable) (array length=n_a): the means, NaN for
 *     empty bins of a, to be freed with g_free(); %NULL if counting failed
 *
 * Since: 0.1
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

/* A pair that is exactly as frequent as with independent sides adds exactly 0,
 * because products of two counts are exact. */
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

/* FALSE if counting failed or there are no pixels. */
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
 * @result: (out): the mutual information in bits
 *
 * Computes how much the bin of one side says about the bin of the other: 0 if
 * it says nothing, and the entropy of either side if both are equal. Waits if
 * @joint is pending.
 *
 * Returns: %TRUE, or %FALSE if there are no pixels or counting failed
 *
 * Since: 0.1
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
 * @result: (out): the normalised mutual information, 1 to 2
 *
 * Computes the sum of the entropies of both sides, divided by the entropy of
 * their pairs, as defined by Studholme, Hill and Hawkes. It is 1 if one side
 * says nothing about the other, and 2 if it says everything or all pixels are
 * in a single pair of bins. Waits if @joint is pending.
 *
 * Returns: %TRUE, or %FALSE if there are no pixels or counting failed
 *
 * Since: 0.1
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
 * @result: (out): the correlation ratio, 0 to 1
 *
 * Computes the share of the variance of b that is explained by the mean of b
 * in each bin of a. It is 0 if this mean is the same in all bins of a, and 1
 * if a determines b or b does not vary. The ratio is not symmetric: exchanging
 * a and b gives another number. Waits if @joint is pending.
 *
 * Returns: %TRUE, or %FALSE if there are no pixels or counting failed
 *
 * Since: 0.1
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
